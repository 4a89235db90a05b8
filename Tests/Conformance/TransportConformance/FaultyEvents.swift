import Causeway

/// The events of a ``FaultyTransport``.
struct FaultyEvents: EventSource {
    let transport: FaultyTransport
    let inner: any EventSource

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        do throws(TransportError) {
            let start = try await inner.currentCursor(knowing: history)
            guard transport.fault == .typingIsLogged else { return start }
            let text = start.cursor.rawValue + "\(transport.count())"
            return EventStart(cursor: EventCursor(rawValue: text) ?? start.cursor)
        } catch {
            throw transport.changed(error)
        }
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        FaultyStream(fault: transport.fault, inner: try await inner.open(from: cursor, knowing: history))
    }
}

struct FaultyStream: EventStream {
    let fault: FaultyTransport.Fault
    let inner: any EventStream

    func next(knowing history: ServerHistory?) async throws(TransportError) -> EventPart {
        guard fault == .waitsOn else { return try await part(knowing: history).get() }
        // Ignores the end of the calling task, and of the stream.
        let result = await Task { await part(knowing: history) }.value
        if case .failure = result {
            await withCheckedContinuation { (never: CheckedContinuation<Void, Never>) in Forgotten.keep(never) }
        }
        return try result.get()
    }

    private func part(knowing history: ServerHistory?) async -> Result<EventPart, TransportError> {
        do throws(TransportError) {
            let part = try await inner.next(knowing: history)
            guard case .batch(var batch) = part else {
                guard case .reset(let start) = part, fault == .continuesForeignCursors else { return .success(part) }
                return .success(.batch(EventBatch(events: [], cursor: start.cursor, isUpToDate: true)))
            }
            switch fault {
            case .leavesEventsOut: if !batch.events.isEmpty { batch.events.removeLast() }
            case .advancesTooFar where !batch.events.isEmpty:
                batch.cursor = EventCursor(rawValue: batch.cursor.rawValue + "0") ?? batch.cursor
            case .hidesDeletions:
                batch.events.removeAll { if case .messageDeleted = $0.change { true } else { false } }
            case .leavesTypingOut: batch.ephemeral = nil
            case .endsAtTheEnd where batch.events.isEmpty: await inner.close()
            default: break
            }
            return .success(.batch(batch))
        } catch {
            return .failure(error)
        }
    }

    func close() async { if fault != .waitsOn { await inner.close() } }
}
