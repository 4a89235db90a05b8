public import CausewayModels
import CausewaySync

/// Users of a channel who are typing, or present, as an asynchronous sequence: first those of now, then after each
/// change all of them, sorted by name. See ``CausewayClient/typing(in:)`` and ``CausewayClient/presence(in:)``.
///
/// Empty while the server's events are not followed: offline, while catching up, without a session. Each iterator is
/// independent; a slow one receives only the latest users. Ends when the client is closed or the task is cancelled.
public struct ChannelUsers: AsyncSequence, Sendable {
    public typealias Element = [UserID]
    public typealias Failure = Never

    enum Kind: Sendable { case typing, present }

    private let engine: SyncEngine
    private let channel: ChannelID
    private let kind: Kind

    init(_ engine: SyncEngine, _ channel: ChannelID, _ kind: Kind) {
        self.engine = engine
        self.channel = channel
        self.kind = kind
    }

    /// The users at this moment, without waiting.
    public var now: [UserID] {
        switch kind {
        case .typing: engine.ephemeral.typing(in: channel)
        case .present: engine.ephemeral.present(in: channel)
        }
    }

    func observe(_ observer: @escaping @Sendable (_ isLast: Bool) -> Void) -> StatusObservation {
        engine.ephemeral.observe(channel, observer)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator for use by one task at a time.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: ChannelUsers
        private let signal = StatusSignal()
        private let observation: StatusObservation
        private var last: [UserID]?

        init(_ source: ChannelUsers) {
            self.source = source
            observation = source.observe { [signal] isLast in
                isLast ? signal.end() : signal.set()
            }
        }

        public func next() async -> [UserID]? {
            while await signal.wait() {
                let users = source.now
                guard users != last else { continue }
                last = users
                return users
            }
            return nil
        }

        public func next(isolation actor: isolated (any Actor)?) async -> [UserID]? { await next() }
    }
}
