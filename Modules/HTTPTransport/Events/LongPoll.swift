import CausewayModels
import CausewayTransport
import CausewayWire
import Synchronization

/// A stream of events by long poll: each call of ``next(knowing:)`` is one request, from the cursor of the last part.
final class LongPoll: EventStream {
    private enum State {
        /// The next request begins here; it waits for something new unless the reader is behind.
        case reading(EventCursor, isWaiting: Bool, seen: String)
        case ended
    }

    private typealias Part = Result<(part: EventPart, seen: String), TransportError>

    private let source: HTTPEventSource
    private let state: Mutex<State>
    /// The request under way, to be ended by ``close()``.
    private let request = Mutex(Task<Part, Never>?.none)

    init(from cursor: EventCursor, of source: HTTPEventSource) {
        self.source = source
        state = Mutex(.reading(cursor, isWaiting: false, seen: WireEphemeral.unseen))
    }

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        guard case .reading(let cursor, let isWaiting, let seen) = state.withLock({ $0 }) else { throw Self.ended }
        let task = Task { [source] () async -> Part in
            do throws(TransportError) {
                return .success(
                    try await source.part(from: cursor, isWaiting: isWaiting, seen: seen, knowing: history))
            } catch {
                return .failure(error)
            }
        }
        request.withLock { $0 = task }
        // Closed in between: the request just made was not seen by ``close()``.
        if case .ended = state.withLock({ $0 }) {
            task.cancel()
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        request.withLock { $0 = nil }
        state.withLock { state in
            guard case .reading = state else { return }
            switch result {
            case .success((.batch(let batch), let seen)):
                state = .reading(batch.cursor, isWaiting: batch.isUpToDate, seen: seen)
            case .success((.reset, _)), .failure: state = .ended
            }
        }
        return try result.get().part
    }

    func close() async {
        state.withLock { $0 = .ended }
        request.withLock { $0 }?.cancel()
    }

    private static let ended = TransportError.unreachable(detail: "the stream of events has ended")
}
