/// What one connection may send, how long it may take, and how many there may be.
///
/// Every server has numbers of its own, in its own limits; tests use smaller ones.
package struct ConnectionLimits: Sendable, Hashable {
    /// Bytes of one header field, name and value.
    package var headerFieldBytesMax: Int
    /// Bytes of all header fields of a request.
    package var headerListBytesMax: Int
    /// Header fields of a request.
    package var headerFieldsMax: Int
    /// Bytes of a request's body.
    package var requestBytesMax: Int
    /// Bytes of a refused body that are read and thrown away so that the client sees the refusal.
    package var discardedBytesMax: Int

    /// From the connection to the end of the first request's header, a TLS handshake included.
    package var firstHeader: Duration
    /// From the end of a request's header to the end of its body.
    package var body: Duration
    /// From the first byte of an answer until the client has taken all of it. Of one whose
    /// length is not known before, such as an event stream: each part.
    package var answer: Duration
    /// Without a request; bounds also how long the header of a later request may take.
    package var idle: Duration
    /// Open connections; more wait in the system's queue until one closes.
    package var connectionsMax: Int
    /// Open connections of one address; past it the one that was idle for the longest time makes room.
    package var connectionsPerPeerMax: Int

    package init(
        headerFieldBytesMax: Int, headerListBytesMax: Int, headerFieldsMax: Int, requestBytesMax: Int,
        discardedBytesMax: Int, firstHeader: Duration, body: Duration, answer: Duration, idle: Duration,
        connectionsMax: Int, connectionsPerPeerMax: Int
    ) {
        self.headerFieldBytesMax = headerFieldBytesMax
        self.headerListBytesMax = headerListBytesMax
        self.headerFieldsMax = headerFieldsMax
        self.requestBytesMax = requestBytesMax
        self.discardedBytesMax = discardedBytesMax
        self.firstHeader = firstHeader
        self.body = body
        self.answer = answer
        self.idle = idle
        self.connectionsMax = connectionsMax
        self.connectionsPerPeerMax = connectionsPerPeerMax
    }
}
