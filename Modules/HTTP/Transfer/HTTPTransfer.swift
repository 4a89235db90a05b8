package import HTTPTypes
package import NIOCore

/// A request whose body is read in parts, or whose response is received in parts.
///
/// Neither body is held in memory: at most ``HTTPLimits/transferPartsMax`` parts of the request's body and one more, and
/// about twice ``HTTPLimits/transferBytesHeldMax`` bytes of the response's body, which wait or are with the receiver. A
/// slow reader slows the peer down.
///
/// The time-outs of the whole call do not apply once a connection carries the transfer; ``HTTPLimits`` and
/// ``TransferTimeouts`` say what does.
package struct HTTPTransfer: Sendable {
    /// Method, path and fields; its own body is ignored.
    package var request: HTTPClientRequest
    /// The body; `nil` for a request without one.
    package var body: RequestBodyParts?
    /// The receiver of the response's body; `nil` if it is small and returned with the response.
    package var receiver: ResponseBodyReceiver?
    /// Called for each interim response (1xx) on the event loop; must return quickly.
    package var interim: @Sendable (HTTPInterimResponse) -> Void
    package var timeouts: TransferTimeouts
    /// Whether the body waits until the server wants it, so that one that refuses the request by its header alone gets
    /// none: the request says `Expect: 100-continue` (RFC 9110 §10.1.1). The body is sent after `100 (Continue)` or
    /// `104 (Upload Resumption Supported)`, or after ``TransferTimeouts/continueWait``.
    ///
    /// A server may also refuse the expectation with 417. The connection of a request is closed if its body was not
    /// sent.
    package var awaitsContinue: Bool
    /// Called once, when the first part of the body is passed to a connection, on any thread; must return quickly.
    package var bodyBegan: @Sendable () -> Void = {}

    package init(
        _ request: HTTPClientRequest, body: RequestBodyParts? = nil, receiver: ResponseBodyReceiver? = nil,
        timeouts: TransferTimeouts = TransferTimeouts(), awaitsContinue: Bool = false,
        interim: @escaping @Sendable (HTTPInterimResponse) -> Void = { _ in }
    ) {
        self.request = request
        self.body = body
        self.receiver = receiver
        self.timeouts = timeouts
        self.awaitsContinue = awaitsContinue
        self.interim = interim
    }
}

extension HTTPTransfer {
    /// The wait before the body; `nil` if there is none, also because nothing would follow it.
    var waitBeforeBody: Duration? { body.map { $0.length > 0 } == true && awaitsContinue ? timeouts.continueWait : nil }
}

/// The body of a request, read in parts as the connection takes them.
package struct RequestBodyParts: Sendable {
    /// The number of bytes of all parts; announced as `Content-Length`.
    package var length: Int64
    /// The next part, which is not empty; `nil` after the last. Called by one task, in order, and again only when the
    /// connection has taken the part before. An error ends the request.
    package var next: @Sendable () async throws -> ByteBuffer?

    package init(length: Int64, next: @escaping @Sendable () async throws -> ByteBuffer?) {
        self.length = length
        self.next = next
    }
}

/// The receiver of a response's body, in parts.
package struct ResponseBodyReceiver: Sendable {
    /// Whether the receiver wants the body of a response; another one is collected and returned, as an error's is.
    /// Called on the event loop.
    package var accepts: @Sendable (HTTPResponse.Status, HTTPFields) -> Bool
    /// Receives the next bytes, at least one and at most ``HTTPLimits/transferBytesHeldMax``. Called by one task, in
    /// order; the transfer waits for it. An error ends the request.
    package var receive: @Sendable (_ bytes: [UInt8]) async throws -> Void

    package init(
        accepts: @escaping @Sendable (HTTPResponse.Status, HTTPFields) -> Bool,
        receive: @escaping @Sendable (_ bytes: [UInt8]) async throws -> Void
    ) {
        self.accepts = accepts
        self.receive = receive
    }
}

/// A response with a status from 100 to 199, except 101, which precedes the final one.
package struct HTTPInterimResponse: Sendable {
    package var status: Int
    package var fields: HTTPFields
}

/// The time-outs of a transfer on its connection. They do not limit its length.
///
/// Time in which the sender of the body or the receiver of the response is busy does not count.
package struct TransferTimeouts: Sendable, Hashable {
    /// The longest time without a byte in either direction, except for ``HTTPTimeouts/firstByte`` after the last byte
    /// of the request.
    package var idle: Duration
    /// The bytes in a second that must be transferred on the average of each ``window``; 0 for no minimum.
    package var bytesPerSecondMin: Int
    package var window: Duration
    /// The longest wait of a body for the server to want it: there are servers and proxies that never say so. Long
    /// enough for a slow link.
    package var continueWait: Duration

    package init(
        idle: Duration = .seconds(30), bytesPerSecondMin: Int = 512, window: Duration = .seconds(60),
        continueWait: Duration = .seconds(1)
    ) {
        self.idle = idle
        self.bytesPerSecondMin = bytesPerSecondMin
        self.window = window
        self.continueWait = continueWait
    }
}

/// The reason why a transfer has no response.
package enum HTTPTransferError: Error {
    /// See ``HTTPClientError``.
    case connection(HTTPClientError)
    /// The sender of the body or the receiver of the response threw this; the connection was closed.
    case body(any Error, requestSent: Bool)
}
