package import CausewayHTTPServer
internal import CausewayWire
internal import HummingbirdCore
internal import NIOCore

extension ConnectionRefusal {
    /// Responds with a `WireError`, like every error of the hub.
    static let hub = ConnectionRefusal { problem in
        let refusal =
            switch problem {
            case .headerTooLarge:
                HubHTTPError(
                    problem.status, code: "headerTooLarge",
                    detail: "the header is larger than \(HubLimits.headerListBytesMax) bytes, has a field larger than "
                        + "\(HubLimits.headerFieldBytesMax) bytes, or more than \(HubLimits.headerFieldsMax) fields")
            case .hostInvalid:
                HubHTTPError(
                    problem.status, code: "hostInvalid", detail: "a request needs the header field Host exactly once")
            case .notHTTP: HubHTTPError(problem.status, code: "httpInvalid", detail: "the request is not HTTP/1.1")
            }
        return (refusal.response.head, ByteBuffer(bytes: (try? HubCoding.encode(refusal.body)) ?? []))
    }
}

extension ConnectionLimits {
    /// The limits of `HubLimits`.
    package static let hub: ConnectionLimits = {
        var limits = ConnectionLimits(
            headerFieldBytesMax: HubLimits.headerFieldBytesMax, headerListBytesMax: HubLimits.headerListBytesMax,
            headerFieldsMax: HubLimits.headerFieldsMax, requestBytesMax: HubLimits.requestBytesMax,
            discardedBytesMax: HubLimits.discardedBytesMax, pipelinedRequestsMax: HubLimits.pipelinedRequestsMax,
            unsentBytesMax: HubLimits.unsentBytesMax, firstHeader: .seconds(HubLimits.firstHeaderSecondsMax),
            body: .seconds(HubLimits.bodySecondsMax), response: .seconds(HubLimits.responseSecondsMax),
            idle: .seconds(HubLimits.idleSecondsMax), connectionsMax: HubLimits.connectionsMax,
            connectionsPerPeerMax: HubLimits.connectionsPerPeerMax)
        limits.streamedPaths = [WireProtocol.uploadsPath]
        return limits
    }()
}
