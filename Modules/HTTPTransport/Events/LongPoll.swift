import CausewayModels
import CausewayTransport
import Synchronization

/// A stream of events by long poll: each call of ``next(knowing:)`` is one request, from the cursor of the last part.
final class LongPoll: EventStream {
    private enum State {
        /// The next request begins here; it waits for something new unless the reader is behind.
        case reading(EventCursor, isWaiting: Bool)
        case ended
    }

    private let source: HTTPEventSource
    private let state: Mutex<State>
    /// The request under way, to be ended by ``close()``.
    private let request = Mutex(Task<Result<EventPart, TransportError>, Never>?.none)

    init(from cursor: EventCursor, of source: HTTPEventSource) {
        self.source = source
        state = Mutex(.reading(cursor, isWaiting: false))
    }

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        guard case .reading(let cursor, let isWaiting) = state.withLock({ $0 }) else { throw Self.ended }
        let task = Task { [source] () async -> Result<EventPart, TransportError> in
            do throws(TransportError) {
                return .success(try await source.part(from: cursor, isWaiting: isWaiting, knowing: history))
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
            case .success(.batch(let batch)): state = .reading(batch.cursor, isWaiting: batch.isUpToDate)
            case .success(.reset), .failure: state = .ended
            }
        }
        return try result.get()
    }

    func close() async {
        state.withLock { $0 = .ended }
        request.withLock { $0 }?.cancel()
    }

    private static let ended = TransportError.unreachable(detail: "the stream of events has ended")
}
