/// How much one client takes from a server and from its callers. Everything a peer could make grow has its
/// bound here.
package struct HTTPLimits: Sendable, Hashable {
    /// All field names and values of one answer together, and any one of them.
    package var headerBytesMax = 32 * 1024
    /// Fields in one answer.
    package var headerFieldsMax = 128
    /// Interim (1xx) answers before the real one.
    package var interimResponsesMax = 16
    /// The body of one answer. A larger one is refused as soon as its length is announced or exceeded.
    package var bodyBytesMax = 8 * 1024 * 1024
    /// Connections of one client, open or being opened.
    package var connectionsMax = 4
    /// Requests of one client that wait for a connection.
    package var requestsWaitingMax = 256
    /// A connection that has done nothing for so long is closed. Below the 60 to 75 s after which common
    /// servers and proxies close theirs, so that we are rarely the second to know.
    package var idleSeconds = 30

    package init() {}
}

/// How long each part of a request may take. All three end in ``HTTPClientError/timeout(_:requestSent:)``.
package struct HTTPTimeouts: Sendable, Hashable {
    /// From the first thought of a connection until it carries requests: name lookup, TCP, proxy and TLS
    /// handshake together.
    package var connect: Duration
    /// From the last byte of the request handed to the system until the first byte of the answer.
    package var firstByte: Duration
    /// From the call until the last byte of the answer, whatever happened between: waiting for a connection,
    /// and an answer that drips.
    package var whole: Duration

    package init(connect: Duration = .seconds(10), firstByte: Duration = .seconds(30), whole: Duration = .seconds(60)) {
        self.connect = connect
        self.firstByte = firstByte
        self.whole = whole
    }
}
