/// How long connections may take, and how many there may be. The numbers are those of `HubLimits`; tests use smaller.
package struct ConnectionLimits: Sendable, Hashable {
    /// From the connection to the end of the first request's header.
    package var firstHeader: Duration = .seconds(HubLimits.firstHeaderSecondsMax)
    /// From the end of a request's header to the end of its body.
    package var body: Duration = .seconds(HubLimits.bodySecondsMax)
    /// From the first byte of an answer until the client has taken all of it.
    package var answer: Duration = .seconds(HubLimits.answerSecondsMax)
    /// Without a request.
    package var idle: Duration = .seconds(HubLimits.idleSecondsMax)
    package var connectionsMax = HubLimits.connectionsMax

    package init() {}
}
