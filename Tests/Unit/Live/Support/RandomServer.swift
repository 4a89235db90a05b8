import CausewayModels
import Synchronization

/// A server with the messages of one channel, which are added, edited and deleted. It keeps all of its former contents
/// with their time: the number of its changes until then.
final class RandomServer: Sendable {
    struct Version: Sendable {
        var content: MessageContent
        /// The time from which and until which this version was current.
        var since: Int
        var until = Int.max
    }

    struct Entry: Sendable {
        var message: RemoteMessage
        var versions: [Version]
        var deletedAt = Int.max

        var position: Int64 { message.serverPosition.position }
        var isDeleted: Bool { deletedAt < .max }

        /// True if the entry had this content at some time from `time` on.
        func said(_ content: MessageContent, from time: Int) -> Bool {
            versions.contains { $0.content == content && $0.until >= time } && deletedAt >= time
        }
    }

    struct Page: Sendable {
        var items: [RemoteMessage]
        var hasMore: Bool
        /// The positions that it covers, and the time when it was read.
        var range: ClosedRange<Int64>?
        var newest: Int64
        var time: Int
    }

    private struct State {
        var dice: WriterDice
        var entries: [Entry] = []
        var time = 0
        /// The percentage of responses that fail.
        var failures = 20

        var alive: [RemoteMessage] { entries.filter { !$0.isDeleted }.map(\.message) }
    }

    let channel: ChannelID
    let sender: UserID
    private let state: Mutex<State>

    /// The prefix of its messages' texts, and the number from which their ids are derived.
    private let name: String
    private let firstNumber: Int

    init?(seed: UInt64, name: String, firstNumber: Int) {
        guard let channel = ChannelID("general"), let sender = UserID("grace") else { return nil }
        self.channel = channel
        self.sender = sender
        self.name = name
        self.firstNumber = firstNumber
        state = Mutex(State(dice: WriterDice(seed: seed, messages: 1)))
    }

    var entries: [Entry] { state.withLock { $0.entries } }
    /// The current messages, by ascending position.
    var messages: [RemoteMessage] { state.withLock { $0.alive } }
    var time: Int { state.withLock { $0.time } }
    func isOne(in count: Int) -> Bool { state.withLock { $0.dice.isOne(in: count) } }
    func setFailures(_ percent: Int) { state.withLock { $0.failures = percent } }

    // MARK: Changes

    func grow() {
        let number = firstNumber + state.withLock { $0.entries.count } + 1
        accept(Sample.id(number), .text("\(name) new"), from: sender)
    }

    /// - Returns: the position of the message.
    @discardableResult
    func accept(_ id: MessageID, _ content: MessageContent, from sender: UserID) -> ServerPosition {
        state.withLock { state in
            state.time += 1
            let serverPosition = Sample.serverPosition(Int64(state.entries.count + 1))
            let message = RemoteMessage(
                id: id, channel: channel, sender: sender, content: content, createdAt: Sample.time,
                serverPosition: serverPosition
            )
            state.entries.append(
                Entry(message: message, versions: [Version(content: content, since: state.time)]))
            return serverPosition
        }
    }

    func edit() {
        state.withLock { state in
            guard let index = Self.anyIndex(&state) else { return }
            state.time += 1
            let content = MessageContent.text("\(name) edit \(state.time)")
            state.entries[index].message.body.content = content
            state.entries[index].message.body.changedAt = Timestamp(milliseconds: Int64(state.time))
            state.entries[index].versions[state.entries[index].versions.count - 1].until = state.time - 1
            state.entries[index].versions.append(Version(content: content, since: state.time))
        }
    }

    func delete() {
        state.withLock { state in
            guard let index = Self.anyIndex(&state) else { return }
            state.time += 1
            state.entries[index].deletedAt = state.time - 1
        }
    }

    /// Also deletes messages that their sender has deleted.
    func delete(_ id: MessageID) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.message.id == id && !$0.isDeleted }) else { return }
            state.time += 1
            state.entries[index].deletedAt = state.time - 1
        }
    }

    private static func anyIndex(_ state: inout State) -> Int? {
        guard !state.entries.isEmpty else { return nil }
        let index = state.dice.below(state.entries.count)
        return state.entries[index].isDeleted ? nil : index
    }

    // MARK: Responses

    /// A page of random length; `nil` if the request fails.
    func page(above: Int64, below: Int64, newestFirst: Bool) -> Page? {
        state.withLock { state in
            if state.dice.below(100) < state.failures { return nil }
            let found = state.alive.filter { above < $0.serverPosition.position && $0.serverPosition.position < below }
            let count = min(found.count, 1 + state.dice.below(6))
            let items = Array(newestFirst ? found.suffix(count) : found.prefix(count))
            let hasMore = items.count < found.count
            let newest = Int64(state.entries.count)
            var first = above + 1
            var last = min(newest, below - 1)
            if hasMore, newestFirst { first = items.first?.serverPosition.position ?? first }
            if hasMore, !newestFirst { last = items.last?.serverPosition.position ?? last }
            return Page(
                items: items, hasMore: hasMore, range: first <= last ? first...last : nil, newest: newest,
                time: state.time)
        }
    }

    /// All changes since that time; `nil` if the request fails.
    func changes(since time: Int) -> (changed: [RemoteMessage], gone: [MessageID], newest: Int64, time: Int)? {
        state.withLock { state in
            if state.dice.below(100) < state.failures { return nil }
            let changed = state.entries.filter { !$0.isDeleted && $0.versions.contains { $0.since > time } }
            let gone = state.entries.filter { $0.isDeleted && $0.deletedAt >= time }
            return (
                changed.map(\.message), gone.map(\.message.id), Int64(state.entries.count), state.time
            )
        }
    }
}
