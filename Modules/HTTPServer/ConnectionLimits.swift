/// The limits of one connection: the amount of data, the durations, and the number of connections.
///
/// Every server has its own values in its own limits; tests use smaller ones.
package struct ConnectionLimits: Sendable, Hashable {
    /// Bytes of one header field, name and value.
    package var headerFieldBytesMax: Int
    /// Bytes of all header fields of a request.
    package var headerListBytesMax: Int
    /// Header fields of a request.
    package var headerFieldsMax: Int
    /// Bytes of a request's body.
    package var requestBytesMax: Int
    /// Paths, and all below them, whose handlers tell a client that expects it to continue (``StreamedBody``), or
    /// respond without the body. On all others it continues at once, if its body is not too large.
    package var streamedPaths: [String] = []
    /// Bytes of a refused body that are read and discarded so that the client sees the refusal.
    package var discardedBytesMax: Int
    /// Requests that may arrive before the first of them is answered; past it the connection is closed.
    package var pipelinedRequestsMax: Int
    /// Bytes of responses that the system buffers beyond those in transit; any more wait in the process, where they are
    /// counted.
    package var unsentBytesMax: Int

    /// From the connection to the end of the first request's header, a TLS handshake included.
    package var firstHeader: Duration
    /// From the end of a request's header to the end of its body.
    package var body: Duration
    /// Without the client reading any of the response that was written: past it the connection is closed, at most a
    /// quarter later.
    package var response: Duration
    /// Without a request; also bounds how long the header of a later request may take.
    package var idle: Duration
    /// Open connections; more wait in the system's queue until one closes.
    package var connectionsMax: Int
    /// Open connections of one address; past it the one that was idle longest is closed.
    package var connectionsPerPeerMax: Int

    package init(
        headerFieldBytesMax: Int, headerListBytesMax: Int, headerFieldsMax: Int, requestBytesMax: Int,
        discardedBytesMax: Int, pipelinedRequestsMax: Int, unsentBytesMax: Int, firstHeader: Duration, body: Duration,
        response: Duration, idle: Duration,
        connectionsMax: Int, connectionsPerPeerMax: Int
    ) {
        self.headerFieldBytesMax = headerFieldBytesMax
        self.headerListBytesMax = headerListBytesMax
        self.headerFieldsMax = headerFieldsMax
        self.requestBytesMax = requestBytesMax
        self.discardedBytesMax = discardedBytesMax
        self.pipelinedRequestsMax = pipelinedRequestsMax
        self.unsentBytesMax = unsentBytesMax
        self.firstHeader = firstHeader
        self.body = body
        self.response = response
        self.idle = idle
        self.connectionsMax = connectionsMax
        self.connectionsPerPeerMax = connectionsPerPeerMax
    }

    /// - Parameter target: the path of a request, with or without a query.
    func streamsBody(to target: String) -> Bool {
        let path = target.prefix { $0 != "?" }
        return streamedPaths.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
}
