package import HTTPTypes
package import NIOCore

/// The response to bytes that never become a request, in each server's own wording and format.
package struct ConnectionRefusal: Sendable {
    package enum Problem: Sendable, Hashable, CaseIterable {
        /// The bytes are not HTTP/1.1.
        case notHTTP
        /// The header exceeds its limit.
        case headerTooLarge
        /// An HTTP/1.1 request that does not name its host exactly once.
        case hostInvalid

        /// 400 or 431.
        package var status: HTTPResponse.Status {
            switch self {
            case .notHTTP, .hostInvalid: .badRequest
            case .headerTooLarge: .requestHeaderFieldsTooLarge
            }
        }
    }

    /// The complete response; `Connection: close` is added to it.
    let response: @Sendable (Problem) -> (head: HTTPResponse, body: ByteBuffer)

    package init(_ response: @escaping @Sendable (Problem) -> (head: HTTPResponse, body: ByteBuffer)) {
        self.response = response
    }
}
