import CausewayLive
import CausewayModels
import CausewayStorage
import Synchronization

/// A server's part of a collection that answers when a test says so.
final class ScriptedRemote: LiveRemote {
    struct Answer: Sendable {
        var messages: [PlacedMessage] = []
        var isMore = false
        var error: StoreError?
    }

    private struct State {
        var asked: [LiveRemotePage] = []
        var waiting: [CheckedContinuation<Answer, Never>] = []
    }

    private let store: any Store
    private let state = Mutex(State())

    init(_ store: any Store) { self.store = store }

    /// The pages that were asked for so far.
    var asked: [LiveRemotePage] { state.withLock { $0.asked } }

    func load(_ page: LiveRemotePage) async throws -> Bool {
        let answer = await withCheckedContinuation { continuation in
            state.withLock { state in
                state.asked.append(page)
                state.waiting.append(continuation)
            }
        }
        if let error = answer.error { throw error }
        try await store.commit(answer.messages.map { .merge($0, at: Timestamp(milliseconds: 0)) })
        return answer.isMore
    }

    /// Answers the question that has waited longest.
    func answer(_ messages: [PlacedMessage] = [], isMore: Bool = false) {
        resume(Answer(messages: messages, isMore: isMore))
    }

    func fail(_ error: StoreError) { resume(Answer(error: error)) }

    private func resume(_ answer: Answer) {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume(returning: answer)
    }
}
