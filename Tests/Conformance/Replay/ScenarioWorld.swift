import Causeway
import CausewayModels
import CausewayRuntime
import CausewayScriptedWorld
import CausewayStorage
import CausewayTransport

/// A message as it is shown, on the hub or on the client.
struct ShownMessage: Sendable, Hashable {
    var id: MessageID
    var content: MessageContent
    var reactions: Set<String>
}

/// The environment of a scenario: a store, a connection to a hub, and the hub. The client is the real one in every
/// world.
protocol ScenarioWorld: Sendable {
    var runtime: any Runtime { get }
    /// The configuration of every client.
    var configuration: ClientConfiguration { get }
    var address: String { get }
    func token() throws -> AccessToken
    /// Makes the transport to ``address``.
    func makeTransport(_ token: AccessToken) throws(TransportError) -> any Transport
    /// Opens the world's only store, as it was left.
    func openStore() async throws -> any Store
    /// Called when the client on the store has been closed.
    func storeWasClosed() async

    /// Changes the line; in force on return.
    func use(_ line: Scenario.Line) async throws
    /// Lets this many deliveries fail.
    func cause(_ trouble: Scenario.Trouble, times: Int)
    /// Rejects the token of every request.
    func refuseToken()
    /// Ends all faults of the hub.
    func endTrouble()
    /// Stops and restarts the hub's process at the same place.
    func restartHub() async throws
    /// Returns the messages of a channel on the hub, in its order, whatever the state of the line.
    func shown(in room: ChannelID) async throws -> [ShownMessage]
}

extension ClientConfiguration {
    /// The documented rules in a fraction of the time: the same for every world.
    static var replay: ClientConfiguration {
        var configuration = forTests(
            settlingTime: .milliseconds(10), retryInterval: .milliseconds(30), probeIntervalMax: .milliseconds(100))
        configuration.outbox.rateLimitWaitMin = .milliseconds(20)
        // The end must not depend on how many batches have left: what was transmitted can no longer be folded.
        configuration.outbox.deliveriesInFlightMax = 1
        return configuration
    }
}
