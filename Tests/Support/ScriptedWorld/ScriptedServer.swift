package import Causeway
import Synchronization

/// A server in memory that keeps lanes as chains and accepts everything in order, or behaves as configured.
package final class ScriptedServer: Sendable {
    package enum Mode: Sendable {
        case working
        case unreachable
        /// Refuses each message, edit and reaction for good.
        case refusing(code: String, detail: String)
        case refusingToken
        /// Responds to each delivery that it may be retried later.
        case busy
        /// Responds to each delivery that the client should wait.
        case rateLimiting(Duration)
        /// Deliveries do not arrive.
        case losingRequests
        /// Applies each delivery, and its response is lost.
        case losingResponses
        /// The response to a delivery does not follow the protocol.
        case malformed
        /// No response to a delivery, as long as this mode is in force.
        case stalled
    }

    let state: Mutex<ScriptedServerState>
    let hasEvents: Bool

    /// - Parameters:
    ///   - channels: the channels that exist, which the server then also lists; if `nil`, every channel exists and all
    ///     pages are empty.
    ///   - token: the only valid token; if `nil`, every token is.
    ///   - hasEvents: true for a server whose changes can be followed.
    package init(channels: Set<ChannelID>? = nil, token: AccessToken? = nil, hasEvents: Bool = false) {
        self.hasEvents = hasEvents
        state = Mutex(ScriptedServerState(channels: channels, validToken: token))
    }

    /// Serves every address that begins with `test:`.
    package var registry: TransportRegistry {
        var registry = TransportRegistry()
        registry.register("test") { [self] _, token throws(TransportError) in connection(with: token) }
        return registry
    }

    /// A new connection of a client.
    ///
    /// - Parameter timeout: the longest wait for a response.
    package func connection(with token: AccessToken, timeout: Duration = .seconds(60)) -> ScriptedConnection {
        state.withLock { $0.tokens.append(token) }
        return ScriptedConnection(to: self, token: token, timeout: timeout)
    }

    /// The texts that were accepted, in their order.
    package var texts: [String] { state.withLock { $0.texts } }
    package var order: [MessageID] { state.withLock { $0.order } }
    /// The tokens that clients presented.
    package var tokens: [AccessToken] { state.withLock { $0.tokens } }
    /// The deliveries that arrived, whatever became of them.
    package var deliveriesSeen: Int { state.withLock { $0.deliveriesSeen } }
    /// The messages of a channel in their order, without deleted ones.
    package func messages(in channel: ChannelID) -> [RemoteMessage] { state.withLock { $0.messages(in: channel) } }

    /// From now on this is the only valid token.
    package func accept(_ token: AccessToken) { state.withLock { $0.validToken = token } }

    /// Whether an authentication waits, before its token is looked at.
    package func holdAuthentications(_ isHeld: Bool) { state.withLock { $0.holdsAuthentications = isHeld } }

    /// The authentications that have waited.
    package var authenticationsHeld: Int { state.withLock { $0.authenticationsHeld } }

    package func set(_ mode: Mode) { state.withLock { $0.mode = mode } }
}
