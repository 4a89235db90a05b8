package import HTTPTypes
package import NIOCore

/// What a server answers to bytes that never become a request: each server has its own words and form.
package struct ConnectionRefusal: Sendable {
    package enum Problem: Sendable, Hashable, CaseIterable {
        /// The bytes are no HTTP/1.1.
        case notHTTP
        /// The header is beyond its limit.
        case headerTooLarge
        /// A request of HTTP/1.1 that does not name its host exactly once.
        case hostInvalid

        /// 400 or 431.
        package var status: HTTPResponse.Status {
            switch self {
            case .notHTTP, .hostInvalid: .badRequest
            case .headerTooLarge: .requestHeaderFieldsTooLarge
            }
        }
    }

    /// The whole answer; `Connection: close` is added to it.
    let answer: @Sendable (Problem) -> (head: HTTPResponse, body: ByteBuffer)

    package init(_ answer: @escaping @Sendable (Problem) -> (head: HTTPResponse, body: ByteBuffer)) {
        self.answer = answer
    }
}
