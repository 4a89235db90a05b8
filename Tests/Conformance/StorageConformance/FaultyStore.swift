import CausewayModels
import CausewayStorage
import Synchronization

/// A store with one fault, to show that the suite detects it.
final class FaultyStore: Store {
    enum Fault: CaseIterable, Sendable {
        case dropsFeedEvent, tellsTooLate, wrongBefore, callsAfterCancel, skipsVersion, hidesReset
        case losesCommit, halfCommit, losesOnRestart
        case reusesNumbers, takesDuplicates, ignoresBounds, wrongCounts
        case pageWithoutEnd, pageWithoutTies, pageUnordered, messagesUnordered
        case keepsEpoch, newOutboxID, forgetsFences, forgetsPauses, worksAfterClose, worksBeforeStart,
            wrongSequenceOrder
        case mixesAccounts, forgetsAccounts, mixesOpenings, comparesAddresses, takesForeignDrafts, writesWhatIsUnchanged
        case returnsTheDraft, hidesReleases, listsAttempts, listsRemoved
        case takesOlderRecords, keepsUnlistedRecords, removesRetainedRecords, ordersRecordsByID, hidesRecordChanges
        case mixesRecordLists
        case commitsCursorFirst, keepsFormerCursor
        case deletesInsteadOfPruning, hidesPruning, skipsChannels, losesTombstones
        case forgetsReceipts, forgetsSessions, keepsReceiptsInOtherHistories, repeatsWithoutMark, keepsErased
        case mixesDeletions
    }

    let fault: Fault
    let base: MemoryStore
    private let state: Mutex<State>

    struct State: Sendable {
        var hasStarted = false
        var isClosed = false
        var commits = 0
        var late: [@Sendable () -> Void] = []
        var ordinals: Int64 = 0
        var firstOutboxID: OutboxID?
        var lineage = Lineage()
        var subscriptions: [StoreSubscription] = []
    }

    init(_ fault: Fault, _ base: MemoryStore) {
        self.fault = fault
        self.base = base
        state = Mutex(State())
    }

    func reopened() async -> FaultyStore {
        switch fault {
        case .losesOnRestart: FaultyStore(fault, MemoryStore())
        default: FaultyStore(fault, base.crashed())
        }
    }

    // MARK: Writing

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        var opening = opening
        if fault == .worksBeforeStart, state.withLock({ $0.hasStarted }) { return try await base.outbox() }
        if fault == .forgetsFences { opening.restart = .resume }
        var snapshot = try await base.start(opening)
        state.withLock { [lineage = snapshot.lineage] state in
            state.hasStarted = true
            state.lineage = lineage
        }
        if fault == .forgetsPauses { snapshot.pauses = [] }
        if fault == .keepsEpoch { snapshot.epoch = 1 }
        if fault == .newOutboxID { snapshot.outboxID = opening.newOutboxID }
        return snapshot
    }

    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        var draft = draft
        if fault == .takesForeignDrafts { draft.account = nil }
        if fault == .takesDuplicates, let old = try await base.message(draft.id) { return old }
        if fault == .ignoresBounds {
            do {
                return try await base.enqueue(draft)
            } catch .outboxFull {
                return Self.message(draft, ordinal: .max, laneSequence: .max)
            }
        }
        if fault == .worksBeforeStart, !state.withLock({ $0.hasStarted }) {
            return Self.message(draft, ordinal: 1, laneSequence: 1)
        }
        let message = try await base.enqueue(draft)
        tellLate()
        if fault == .returnsTheDraft {
            return Self.message(draft, ordinal: message.ordinal, laneSequence: message.laneSequence)
        }
        guard fault == .reusesNumbers else { return message }
        return message.resent(sequence: message.ordinal > 1 ? 1 : message.laneSequence, at: message.createdAt)
    }

    private static func message(_ draft: MessageDraft, ordinal: Int64, laneSequence: Int64) -> Message {
        Message(
            id: draft.id, channel: draft.channel, sender: draft.sender, parent: draft.parent,
            displayed: MessageBody(content: draft.content, tags: draft.tags), createdAt: draft.createdAt,
            ordinal: ordinal,
            lane: draft.lane, laneSequence: laneSequence)
    }

    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        let number = state.withLock { state in
            state.commits += 1
            return state.commits
        }
        switch fault {
        case .losesCommit where number % 3 == 2: return
        case .halfCommit:
            do {
                try await base.commit(mutations, durability: durability)
            } catch .other {
                try await base.commit([mutations[0]])
                throw .other(detail: "half")
            }
        case .mixesAccounts, .forgetsAccounts, .comparesAddresses, .writesWhatIsUnchanged, .forgetsReceipts,
            .forgetsSessions, .keepsReceiptsInOtherHistories, .repeatsWithoutMark, .deletesInsteadOfPruning,
            .keepsErased:
            try await base.commit(mutations.flatMap(misunderstood))
        case .takesOlderRecords, .keepsUnlistedRecords, .removesRetainedRecords:
            try await base.commit(mutations.flatMap(mistaken))
        case .commitsCursorFirst:
            for case .setEventCursor(let cursor) in mutations { try await base.commit([.setEventCursor(cursor)]) }
            try await base.commit(mutations, durability: durability)
        case .keepsFormerCursor:
            let former = try await base.outbox().eventCursor
            try await base.commit(mutations, durability: durability)
            for case .followHistory in mutations { try await base.commit([.setEventCursor(former)]) }
        case .wrongSequenceOrder:
            try await base.commit(
                mutations.map { mutation in
                    if case .resend(let id, let time) = mutation { return .requeue(id, attempts: 0, at: time) }
                    return mutation
                })
        case .mixesDeletions:
            try await base.commit(
                mutations.map { mutation in
                    guard case .recordDelete(let action) = mutation else { return mutation }
                    return .recordDelete(
                        DeleteAction(
                            at: action.at, by: action.by, message: action.message, channel: action.channel,
                            type: action.type, syncState: action.syncState, lastFailure: action.lastFailure))
                })
        default: try await base.commit(mutations, durability: durability)
        }
        tellLate()
    }

    /// The mutation as performed by a store with the fault.
    private func misunderstood(_ mutation: Mutation) -> [Mutation] {
        switch (fault, mutation) {
        case (.mixesAccounts, .saveSession(let session)):
            [.saveSession(session.moved(to: "https://chat.example", as: "anybody"))]
        case (.forgetsAccounts, .saveSession(let session)):
            [.saveSession(session.moved(to: session.server + "/\(session.id)", as: session.user.value))]
        case (.comparesAddresses, .saveSession(let session)) where session.server.hasSuffix("/"):
            [.saveSession(session.moved(to: session.server + "slash", as: session.user.value))]
        case (.writesWhatIsUnchanged, .merge(let placed, let time)):
            [.merge(placed.said("again"), at: time), mutation]
        case (.forgetsSessions, .upload(_, .open, _)): []
        case (.deletesInsteadOfPruning, .prune(let ids, _)): ids.map { .delete($0) }
        case (.keepsErased, .eraseAccount(let id)): [.forkOutbox(id, at: Timestamp(milliseconds: 1))]
        case (.forgetsReceipts, .fail(let id, let failure, let inDoubt)):
            [.fail(id, failure.withCode("attachmentUnknown"), inDoubt: inDoubt)]
        case (.keepsReceiptsInOtherHistories, .followHistory(_, let outbox, _, let time)):
            [.forkOutbox(outbox, at: time)]
        case (.repeatsWithoutMark, .upload(let id, .startAgain, let time)): [.resend(id, at: time)]
        default: [mutation]
        }
    }

    /// The mutation of records as performed by a store with the fault.
    private func mistaken(_ mutation: Mutation) -> [Mutation] {
        guard case .mergeRecords(var merge) = mutation else { return [mutation] }
        switch fault {
        case .takesOlderRecords:
            return merge.records.map { .removeRecord($0.kind, $0.id) } + [mutation]
        case .keepsUnlistedRecords: merge.coverage = nil
        default: merge.retained = []
        }
        return [.mergeRecords(merge)]
    }

    private func tellLate() {
        for call in state.withLock({ state in
            defer { state.late = [] }
            return Array(state.late.dropLast())
        }) { call() }
    }

    // MARK: Reading

    func message(_ id: MessageID) async throws(StoreError) -> Message? { try await base.message(id) }

    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        let found = try await base.messages(ids)
        return fault == .messagesUnordered ? found.sorted { $0.ordinal < $1.ordinal } : found
    }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await base.dependants(of: id)
    }

    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await base.operation(id)
    }

    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await base.operations(ids)
    }

    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await base.operations(query)
    }

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        var query = query
        switch fault {
        case .pageWithoutTies:
            // Continues after the position, and so loses the messages that share it.
            if case .channel = query.scope, let after = query.after, after.position != .max {
                query.after?.ordinal = query.direction == .ascending ? .max : .min
            }
        case .pageUnordered:
            let page = try await base.page(query)
            return MessagePage(messages: page.messages.reversed(), next: page.next)
        default: break
        }
        var page = try await base.page(query)
        if fault == .pageWithoutEnd, page.next == nil { page.next = page.messages.last?.cursor }
        return page
    }

    func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        let part = try await base.nextChannel(after: channel, keeping: count)
        guard fault == .skipsChannels, let part else { return part }
        return try await base.nextChannel(after: part.channel, keeping: count)
    }

    func counts() async throws(StoreError) -> StoreCounts {
        var counts = try await base.counts()
        if fault == .wrongCounts { counts.undeliveredBytes -= counts.error }
        return counts
    }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await base.deleteActions(before: before, limit: limit)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await base.record(kind, id)
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        var query = query
        if fault == .mixesRecordLists { query.list.scope = "" }
        var page = try await base.records(query)
        if fault == .losesTombstones, query.list.kind == "deletedMessage" {
            page = RecordListPage(records: [], next: nil)
        }
        if fault == .ordersRecordsByID { page.records.sort { $0.id < $1.id } }
        return page
    }

    func session() async throws(StoreError) -> Session? { try await base.session() }

    func outbox() async throws(StoreError) -> OutboxSnapshot {
        var snapshot = try await base.outbox()
        if fault == .mixesOpenings {
            snapshot.lineage.ancestors = state.withLock { $0.lineage.ancestors }
        }
        return snapshot
    }

    func close() async {
        if fault != .worksAfterClose { await base.close() }
    }

    // MARK: The feed

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        switch fault {
        case .dropsFeedEvent:
            return base.subscribe { if $0.version % 4 != 3 { subscriber($0) } }
        case .tellsTooLate:
            return base.subscribe { commit in
                self.state.withLock { $0.late.append { subscriber(commit) } }
            }
        case .wrongBefore:
            return base.subscribe { commit in
                var commit = commit
                commit.changes = commit.changes.map { change in
                    guard case .message(_?, let after, let bytes) = change else { return change }
                    return .message(before: nil, after: after, bytes: bytes)
                }
                subscriber(commit)
            }
        case .hidesReleases:
            // Lists only the links that were created.
            return base.subscribe { commit in
                var commit = commit
                let created = commit.changes.compactMap { change in
                    if case .message(nil, let after?, _) = change { after.id } else { nil }
                }
                commit.appended.removeAll { !created.contains($0.message) }
                subscriber(commit)
            }
        case .listsAttempts:
            return base.subscribe { commit in
                var commit = commit
                commit.appended = commit.changes.compactMap { change in
                    guard case .message(_, let after?, let bytes) = change else { return nil }
                    return after.entry(bytes: bytes)
                }
                subscriber(commit)
            }
        case .listsRemoved:
            return base.subscribe { commit in
                var commit = commit
                for case .message(nil, let after?, let bytes) in commit.changes {
                    guard !commit.appended.contains(where: { $0.message == after.id }) else { continue }
                    if let entry = after.entry(bytes: bytes) { commit.appended.append(entry) }
                }
                subscriber(commit)
            }
        case .callsAfterCancel:
            state.withLock { $0.subscriptions.append(base.subscribe(subscriber)) }
            return StoreSubscription {}
        case .hidesRecordChanges:
            return base.subscribe { commit in
                var commit = commit
                commit.changes.removeAll { if case .record(_?, _) = $0 { true } else { false } }
                subscriber(commit)
            }
        case .hidesPruning: return base.subscribe { subscriber($0.with { $0.pruned = [:] }) }
        case .skipsVersion:
            return base.subscribe { commit in
                var commit = commit
                commit.version *= 2
                subscriber(commit)
            }
        case .hidesReset:
            return base.subscribe { subscriber($0.with { $0.isReset = false }) }
        default:
            return base.subscribe(subscriber)
        }
    }
}

extension StoreCommit {
    fileprivate func with(_ change: (inout StoreCommit) -> Void) -> StoreCommit {
        var commit = self
        change(&commit)
        return commit
    }
}

extension Session {
    fileprivate func moved(to server: String, as user: String) -> Session {
        Session(id: id, server: server, user: UserID(user) ?? self.user, startedAt: startedAt, endedAt: endedAt)
    }
}

extension Failure {
    fileprivate func withCode(_ code: String) -> Failure {
        Failure(reason: reason, code: code, detail: detail, at: at, pausesLane: pausesLane)
    }
}

extension RemoteMessage {
    fileprivate func said(_ text: String) -> RemoteMessage {
        var placed = self
        placed.body.content = .text(text)
        return placed
    }
}
