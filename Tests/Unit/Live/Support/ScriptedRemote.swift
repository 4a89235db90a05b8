import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Synchronization

/// The server side of a collection, which responds under the control of a test.
final class ScriptedRemote: RemoteSource {
    struct Answer: Sendable {
        var messages: [RemoteMessage] = []
        var gone: [MessageID] = []
        var loadedRange = LoadedRange<MessageQuery.Cursor>()
        var error: StoreError?
    }

    private struct State {
        var asked: [RemoteSourcePage<MessageQuery.Cursor>] = []
        var changesAsked = 0
        var waiting: [CheckedContinuation<Answer, Never>] = []
        var following = RemoteFollowing.none
        var broughtThrough: Int64 = 0
    }

    private let store: any Store
    private let state = Mutex(State())

    init(_ store: any Store) { self.store = store }

    /// The pages requested so far.
    var asked: [RemoteSourcePage<MessageQuery.Cursor>] { state.withLock { $0.asked } }

    /// The number of requests for changes so far.
    var changesAsked: Int { state.withLock { $0.changesAsked } }

    func load(
        _ page: RemoteSourcePage<MessageQuery.Cursor>, hold: FrameHold
    ) async throws -> LoadedRange<MessageQuery.Cursor> {
        try await respond(hold) { $0.asked.append(page) }
    }

    func loadChanges(
        since loadedRange: LoadedRange<MessageQuery.Cursor>, hold: FrameHold
    ) async throws -> LoadedRange<MessageQuery.Cursor>? {
        try await respond(hold) { $0.changesAsked += 1 }
    }

    private func respond(
        _ hold: FrameHold, noting note: @Sendable (inout State) -> Void
    ) async throws -> LoadedRange<MessageQuery.Cursor> {
        let answer = await withCheckedContinuation { continuation in
            state.withLock { state in
                note(&state)
                state.waiting.append(continuation)
            }
        }
        if let error = answer.error { throw error }
        hold.begin()
        try await store.commit(
            answer.gone.map { .delete($0) } + answer.messages.map { .merge($0, at: Timestamp(milliseconds: 0)) })
        return answer.loadedRange
    }

    /// Responds to the oldest open request: with these messages, and further ones before `start` and after `end`; `nil`
    /// for none.
    func answer(_ messages: [RemoteMessage] = [], start: Int64? = nil, end: Int64? = nil, newest: Int64? = nil) {
        resume(
            Answer(
                messages: messages,
                loadedRange: LoadedRange(
                    start: start.map { Self.start($0) }, end: end.map { Self.end($0) },
                    newest: newest.map { Self.end($0) })))
    }

    /// Responds to the oldest open request: the server has lost these messages, and has no others.
    func answer(gone: [MessageID]) {
        resume(Answer(gone: gone, loadedRange: LoadedRange(newest: Self.end(0))))
    }

    func isPlaced(_ key: MessageQuery.Cursor) -> Bool { key.position != .max }

    func placedCount(after newest: MessageQuery.Cursor, through key: MessageQuery.Cursor) -> Int {
        Int(key.position - newest.position)
    }

    func key(above pruned: [ChannelID: Int64]) -> MessageQuery.Cursor? {
        pruned.values.max().map { Self.start($0 + 1) }
    }

    /// The same, for a list that shows the newest first.
    func answer(_ messages: [RemoteMessage], startAfter: Int64?, endBefore: Int64?) {
        resume(
            Answer(
                messages: messages,
                loadedRange: LoadedRange(start: startAfter.map { Self.end($0) }, end: endBefore.map { Self.start($0) }))
        )
    }

    /// The same, with any range.
    func answer(_ messages: [RemoteMessage], range: LoadedRange<MessageQuery.Cursor>) {
        resume(Answer(messages: messages, loadedRange: range))
    }

    static func start(_ position: Int64) -> MessageQuery.Cursor {
        MessageQuery.Cursor(position: position, ordinal: .min)
    }

    static func end(_ position: Int64) -> MessageQuery.Cursor {
        MessageQuery.Cursor(position: position, ordinal: .max)
    }

    /// The way in which changes arrive by themselves.
    var following: RemoteFollowing {
        get { state.withLock { $0.following } }
        set { state.withLock { $0.following = newValue } }
    }

    /// Events have brought every message up to this position.
    func bring(through position: Int64) { state.withLock { $0.broughtThrough = position } }

    func isBrought(through key: MessageQuery.Cursor, after loadedRange: LoadedRange<MessageQuery.Cursor>) -> Bool {
        key.position <= state.withLock { $0.broughtThrough }
    }

    func fail(_ error: StoreError) { resume(Answer(error: error)) }

    private func resume(_ answer: Answer) {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume(returning: answer)
    }
}
