package import CausewayHTTPServer

extension ConnectionLimits {
    /// The limits of `HubLimits`.
    package static let hub = ConnectionLimits(
        headerFieldBytesMax: HubLimits.headerFieldBytesMax, headerListBytesMax: HubLimits.headerListBytesMax,
        headerFieldsMax: HubLimits.headerFieldsMax, requestBytesMax: HubLimits.requestBytesMax,
        discardedBytesMax: HubLimits.discardedBytesMax, pipelinedRequestsMax: HubLimits.pipelinedRequestsMax,
        unsentBytesMax: HubLimits.unsentBytesMax, firstHeader: .seconds(HubLimits.firstHeaderSecondsMax),
        body: .seconds(HubLimits.bodySecondsMax), answer: .seconds(HubLimits.answerSecondsMax),
        idle: .seconds(HubLimits.idleSecondsMax), connectionsMax: HubLimits.connectionsMax,
        connectionsPerPeerMax: HubLimits.connectionsPerPeerMax)
}
