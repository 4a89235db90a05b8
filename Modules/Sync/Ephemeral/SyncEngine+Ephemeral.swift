package import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayTransport

/// Typing signals of the session's user, and the ephemeral events of others.
extension SyncEngine {
    /// The state of the session's own typing.
    struct OwnTyping {
        /// Distinguishes this run from others of the account; chosen with the first signal.
        var device: String?
        var throttle = TypingThrottle()
        /// Signals under way.
        var calls = 0
    }

    /// Reports that the session's user is typing in a channel, or has stopped.
    ///
    /// Sent at once or not at all: dropped while the server cannot be reached, events are not followed, sending is
    /// paused or too much is under way, and never repeated. Does not wait for queued work, nor for the response.
    package func setTyping(_ isTyping: Bool, in channel: ChannelID) {
        guard !isClosed, session != nil, let server = transport?.ephemeral, outbox.isServerReady, !outbox.isPaused,
            follower.state == .upToDate, ownTyping.calls < SyncLimits.typingCallsMax,
            let sequence = ownTyping.throttle.report(isTyping, in: channel, at: runtime.now)
        else { return }
        let device = ownTyping.device ?? String(runtime.random(), radix: 16)
        ownTyping.device = device
        ownTyping.calls += 1
        let signal = TypingSignal(channel: channel, isTyping: isTyping, device: device, sequence: sequence)
        runtime.spawn { [weak self] in
            // Nothing depends on it: the value ends by itself, and the next signal replaces it.
            do throws(TransportError) { try await server.setTyping(signal) } catch {}
            await self?.typingSent()
        }
    }

    private func typingSent() { ownTyping.calls -= 1 }

    /// Shows the ephemeral events of a batch that is stored.
    func showEphemeral(of batch: EventBatch) {
        guard follower.state == .upToDate, let update = batch.ephemeral else { return }
        ephemeral.apply(update, of: session?.user)
    }

    /// Ephemeral events are those of now, or none.
    func adaptEphemeral() {
        if follower.state != .upToDate { ephemeral.clear() }
    }
}
