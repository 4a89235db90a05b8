import Causeway
import Synchronization

/// A correct transport with one planted fault.
struct FaultyTransport: Transport {
    enum Fault: Sendable, CaseIterable {
        case changesCapabilities, wrongUser, wrongTokenIsTransient, printsToken, noServerIsInDoubt
        case wrongPosition, newPositionInRepeat, refusalStopsBatch, keepsDeleted, deniesAll
        case mixesResponses, doubtIsUnreachable, repeatsByItself, malformedIsAccepted
        case busyIsInDoubt, forgetsTheWait, waitsForEver, ignoresCancellation, ignoresClose, worksAfterClose
        case pageWithGap, pageHasMoreForEver, anyChannelIsEmpty, incompleteChanges, filterHides
        case messageWithoutTime
        case fillsGaps, forgetsFences, oneMarkForAllLanes
        case hidesKinds, recordsWithGap, recordsLeadBack, anotherVersion, anyListIsEmpty
        case leavesEventsOut, advancesTooFar, hidesDeletions, endsAtTheEnd, continuesForeignCursors, waitsOn
        case leavesTypingOut, typingByArrival, typingIsLogged, typesAnywhere
    }

    let fault: Fault
    let inner: any Transport
    private let memory = Memory()

    /// The memory of the faults; one for each transport.
    private final class Memory: Sendable {
        struct State {
            var calls = 0
            var isClosed = false
            var lastReport: DeliveryReport?
            var newest: Int64 = 0
        }

        let state = Mutex(State())
    }

    init(_ fault: Fault, _ inner: any Transport) {
        self.fault = fault
        self.inner = inner
    }

    var capabilities: TransportCapabilities {
        var capabilities = inner.capabilities
        if fault == .changesCapabilities {
            capabilities.batchOperationsMax -= memory.state.withLock { state in
                state.calls += 1
                return state.calls
            }
        }
        if fault == .hidesKinds { capabilities.records = [] }
        return capabilities
    }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        do throws(TransportError) {
            var info = try await inner.authenticate(knowing: history, outbox: outbox)
            if fault == .wrongUser, let other = UserID("eve") { info.user = other }
            return info
        } catch {
            throw changed(error)
        }
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        do throws(TransportError) {
            return changed(try await delivered(delivery), delivery)
        } catch {
            if fault == .repeatsByItself, case .inDoubt = error { _ = try? await inner.deliver(delivery) }
            if fault == .malformedIsAccepted, case .inDoubt = error {
                return DeliveryReport(mark: 0, outcomes: delivery.operations.map { _ in .notAttempted })
            }
            throw changed(error)
        }
    }

    private func delivered(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        var delivery = delivery
        switch fault {
        case .waitsForEver, .ignoresCancellation, .ignoresClose:
            return try await heldUp(delivery)
        case .refusalStopsBatch:
            var outcomes: [DeliveryOutcome] = []
            let count = delivery.operations.count
            for operation in delivery.operations {
                delivery.operations = [operation]
                let report = try await inner.deliver(delivery)
                outcomes += report.outcomes
                if case .refused = report.outcomes.first { break }
            }
            outcomes += (outcomes.count..<count).map { _ in .notAttempted }
            return DeliveryReport(mark: 0, outcomes: outcomes)
        case .fillsGaps:
            let report = try await inner.deliver(delivery)
            guard case .gap(let mark) = report.outcomes.first else { return report }
            delivery.operations[0].previous = mark
            return try await inner.deliver(delivery)
        case .forgetsFences:
            if case .fence = delivery.operations[0].body { return DeliveryReport(mark: 0, outcomes: [.fenced]) }
        case .oneMarkForAllLanes:
            delivery.lane = .text
        default: break
        }
        return try await inner.deliver(delivery)
    }

    /// Waits for the inner transport in a way that breaks one of the promises.
    private func heldUp(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        let inner = inner
        let call = Task { () -> Result<DeliveryReport, TransportError> in
            do throws(TransportError) {
                return .success(try await inner.deliver(delivery))
            } catch {
                return .failure(error)
            }
        }
        let result = await call.value
        if fault == .waitsForEver, case .failure = result {
            // As long as the test runs.
            await withCheckedContinuation { (never: CheckedContinuation<Void, Never>) in Forgotten.keep(never) }
        }
        return try result.get()
    }

    private func changed(_ report: DeliveryReport, _ delivery: Delivery) -> DeliveryReport {
        var report = report
        switch fault {
        case .wrongPosition, .newPositionInRepeat:
            report.outcomes = report.outcomes.map { outcome in
                guard case .accepted(var position) = outcome else { return outcome }
                position = memory.state.withLock { state in
                    state.newest += 1
                    let shift = fault == .wrongPosition ? 1 : state.newest
                    return ServerPosition(position: position.position + shift, acceptedAt: position.acceptedAt)
                }
                return .accepted(position)
            }
        case .mixesResponses:
            return memory.state.withLock { state in
                defer { state.lastReport = report }
                guard let last = state.lastReport, last.outcomes.count == report.outcomes.count else { return report }
                return last
            }
        case .deniesAll:
            report.outcomes = zip(report.outcomes, delivery.operations).map { outcome, operation in
                if case .fence = operation.body { .fenced } else { outcome }
            }
        default: break
        }
        return report
    }

    var events: (any EventSource)? { inner.events.map { FaultyEvents(transport: self, inner: $0) } }

    var ephemeral: (any EphemeralEvents)? { inner.ephemeral.map { FaultyEphemeralEvents(transport: self, inner: $0) } }

    /// The number of calls so far, this one included.
    func count() -> Int {
        memory.state.withLock { state in
            state.calls += 1
            return state.calls
        }
    }

    func changed(_ error: TransportError) -> TransportError {
        switch (fault, error) {
        case (.wrongTokenIsTransient, .actionRequired(let action)):
            .transient(code: "401", detail: action.detail)
        case (.printsToken, .actionRequired(let action)):
            .actionRequired(ActionRequired(cause: action.cause, detail: action.detail + " (secret-of-ann)"))
        case (.noServerIsInDoubt, .unreachable(let detail)): .inDoubt(detail: detail)
        case (.doubtIsUnreachable, .inDoubt(let detail)): .unreachable(detail: detail)
        case (.busyIsInDoubt, .transient(_, let detail)): .inDoubt(detail: detail)
        case (.forgetsTheWait, .rateLimited(_, let detail)): .rateLimited(after: .seconds(1), detail: detail)
        default: error
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        do throws(TransportError) {
            var page = try await inner.messages(query)
            switch fault {
            case .pageWithGap where !page.items.isEmpty: page.items.removeFirst()
            case .filterHides where !query.filter.admitsAll && !page.items.isEmpty: page.items.removeLast()
            case .pageHasMoreForEver where page.items.isEmpty: page.hasMore = true
            case .incompleteChanges where !page.items.isEmpty:
                page.cursor = "1"
                page.range = 1..<page.items[page.items.count - 1].serverPosition.position + 1
            default: break
            }
            return page
        } catch {
            if fault == .anyChannelIsEmpty, case .refused = error { return RemotePage(items: [], hasMore: false) }
            throw changed(error)
        }
    }

    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        guard fault == .incompleteChanges else { return try await inner.changes(query) }
        return RemoteChanges(items: [], gone: [], cursor: query.cursor, newest: query.through)
    }

    func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        do throws(TransportError) {
            var page = try await inner.records(query)
            switch fault {
            case .recordsWithGap where query.after != nil: page.items.removeFirst()
            case .recordsLeadBack: page.next = page.next.map { query.after ?? $0 }
            default: break
            }
            return page
        } catch {
            if fault == .anyListIsEmpty, case .refused = error { return RemoteRecordsPage(items: []) }
            throw changed(error)
        }
    }

    func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        var state = try await inner.record(kind, id, knowing: history)
        if fault == .anotherVersion { state.record?.version += 1 }
        return state
    }

    func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        let state = try await inner.message(id, knowing: history)
        guard fault == .messageWithoutTime, var message = state.message else { return state }
        message.createdAt = message.createdAt.advanced(by: .milliseconds(1))
        return RemoteMessageState(message, history: state.history)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        do throws(TransportError) {
            let found = try await inner.lookup(id)
            if fault == .keepsDeleted, found == nil {
                return ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 1))
            }
            return found
        } catch {
            throw changed(error)
        }
    }

    func close() async {
        if fault == .worksAfterClose || fault == .ignoresClose { return }
        await inner.close()
    }
}

/// Continuations that are never resumed, kept so that the runtime does not report them.
enum Forgotten {
    private static let kept = Mutex<[CheckedContinuation<Void, Never>]>([])

    static func keep(_ continuation: CheckedContinuation<Void, Never>) { kept.withLock { $0.append(continuation) } }
}
