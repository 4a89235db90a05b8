/// The limits on data that one client accepts from a server and from its callers. All data that a peer can grow is
/// bounded here.
package struct HTTPLimits: Sendable, Hashable {
    /// All field names and values of one response together, and any one of them.
    package var headerBytesMax = 32 * 1024
    /// Fields in one response.
    package var headerFieldsMax = 128
    /// Interim (1xx) responses before the final one.
    package var interimResponsesMax = 16
    /// The body of one response. A larger one is refused as soon as its length is announced or exceeded.
    package var bodyBytesMax = 8 * 1024 * 1024
    /// Connections of one client, open or being opened.
    package var connectionsMax = 4
    /// Requests of one client that wait for a connection.
    package var requestsWaitingMax = 256
    /// Seconds after which an idle connection is closed. Below the 60 to 75 s after which common servers and proxies
    /// close theirs, so that the server rarely closes first.
    package var idleSeconds = 30

    /// Parts of a streamed request body that were passed to a connection and have not left.
    package var transferPartsMax = 2
    /// Bytes of a streamed response body that wait for their receiver; past it the connection is not read. One read may
    /// exceed it.
    package var transferBytesHeldMax = 256 * 1024
    /// Bytes of a streamed request body for which one interim response more than ``interimResponsesMax`` is accepted:
    /// those of the slowest transfer in a second, after which a server may report how far it came.
    package var transferInterimBytes = 512
    /// Bytes that the system holds of a connection and has not sent, where it knows such a limit: past it the peer is
    /// waited for, so that a slow connection is seen as one and little is lost with it.
    package var unsentBytesMax = 64 * 1024

    package init() {}
}

/// The time-outs of the phases of a request. All of them are reported as ``HTTPClientError/timeout(_:requestSent:)``.
package struct HTTPTimeouts: Sendable, Hashable {
    /// From the start of a connection attempt until the connection can carry requests: name lookup, TCP, proxy and TLS
    /// handshake together.
    package var connect: Duration
    /// From the last byte of the request passed to the system until the first byte of the response.
    package var firstByte: Duration
    /// From the call until the last byte of the response, including waiting for a connection, a slow response, and the
    /// request that is sent once more on another connection. A transfer (``HTTPTransfer``) only waits this long for a
    /// connection, each time that it waits for one.
    package var whole: Duration

    package init(connect: Duration = .seconds(10), firstByte: Duration = .seconds(30), whole: Duration = .seconds(60)) {
        self.connect = connect
        self.firstByte = firstByte
        self.whole = whole
    }
}
