import Causeway
import CausewayModels
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// A message as it is shown, on the hub or on the client.
struct ShownMessage: Sendable, Hashable {
    var id: MessageID
    var content: MessageContent
    var reactions: Set<String>
}

/// What a story is played in: a store, a way to a hub, and the hub. The client is the real one in every world.
protocol StoryWorld: Sendable {
    var runtime: any Runtime { get }
    /// What each client is opened with.
    var configuration: ClientConfiguration { get }
    var address: String { get }
    func token() throws -> AccessToken
    /// Makes the transport to ``address``.
    func makeTransport(_ token: AccessToken) throws(TransportError) -> any Transport
    /// Opens the world's one store, as it was left.
    func openStore() async throws -> any Store
    /// Called when the client on the store has been closed.
    func storeWasClosed() async

    /// In force when it returns.
    func use(_ line: Story.Line) async throws
    /// So many deliveries meet this.
    func cause(_ trouble: Story.Trouble, times: Int)
    /// Every request is told that the token is no good.
    func refuseToken()
    /// The hub does everything right.
    func endTrouble()
    /// The hub's process ends and comes back where it was.
    func restartHub() async throws
    /// What the hub shows of a channel, in its order, whatever the line is like.
    func shown(in room: ChannelID) async throws -> [ShownMessage]
}
