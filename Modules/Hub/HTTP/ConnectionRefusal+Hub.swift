internal import CausewayHTTPServer
internal import HummingbirdCore
internal import NIOCore

extension ConnectionRefusal {
    /// Answers with a `WireError`, as the hub does everywhere.
    static let hub = ConnectionRefusal { problem in
        let refusal =
            switch problem {
            case .headerTooLarge:
                HubRefusal(
                    problem.status, code: "headerTooLarge",
                    detail: "The header is larger than the \(HubLimits.headerListBytesMax) bytes that the hub takes.")
            case .notHTTP: HubRefusal(problem.status, code: "httpInvalid", detail: "The request is not HTTP/1.1.")
            }
        return (refusal.response.head, ByteBuffer(bytes: (try? HubCoding.encode(refusal.body)) ?? []))
    }
}
