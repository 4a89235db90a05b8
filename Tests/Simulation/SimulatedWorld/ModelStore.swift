import CausewayModels
import CausewayStorage

/// A store without disk or threads, on top of the transitions that all stores share.
///
/// A value. A crash loses nothing of it, because each call takes effect as a whole or not at all.
struct ModelStore: Hashable {
    private(set) var outboxID: OutboxID
    /// The records of the accounts that are not current; none of these parts has such parts of its own.
    private(set) var otherAccounts: [UserID: ModelStore] = [:]
    private(set) var epoch: Int64 = 0
    /// Without openings in a world that does not use lineage.
    private(set) var lineage = Lineage()
    private var nextSequence: Int64 = 1
    private var lastTransmitted: [LaneID: Int64] = [:]
    private(set) var items: [OperationID: StoredItem] = [:]
    /// The messages that wait or are in flight.
    private(set) var pending: Set<MessageID> = []
    private(set) var failed: Set<MessageID> = []
    /// Replies and operations.
    private(set) var related: Set<MessageID> = []
    private(set) var controls: [Int64: ChainMarker] = [:] { didSet { listEntries() } }
    private(set) var deletions: Set<MessageID> = []
    /// The deletions in the order in which they were recorded, which only a change of the hub's history needs.
    private(set) var deleteActions: [DeleteAction] = []
    /// The last history that the hub named.
    private(set) var history: ServerHistory?
    /// The ids of ``items`` in the order of creation: each new item has the highest ordinal.
    private var order: [OperationID] = []
    /// The links of ``pending`` and ``controls``.
    private var links = EntryList()
    /// New links that the machine has not been notified of yet: the change feed.
    private var feed: [OutboxEntry] = []
    private var commits = 0
    /// For `enqueueNotDurable`: a message that is reported as durable and is not.
    private var unsynced: MessageID?

    let plantedFault: PlantedFault?
    /// False where states that differ only in their history are to be equal.
    var keepsHistory = true

    init(outboxID: OutboxID, plantedFault: PlantedFault?) {
        self.outboxID = outboxID
        self.plantedFault = plantedFault
    }

    mutating func takeFeed() -> [OutboxEntry] {
        defer { feed = [] }
        return feed
    }

    /// Removes the new links of messages that the hub was seen to have.
    mutating func discardFeed(of messages: Set<MessageID>) {
        feed.removeAll { $0.kind == .send && messages.contains($0.message) }
    }

    var isFeedEmpty: Bool { feed.isEmpty }

    var hasEntries: Bool { !links.entries.isEmpty }

    /// Increases with each change of items or links.
    var version: Int { links.version }

    func message(_ id: MessageID?) -> Message? { id.flatMap { items[$0]?.message } }

    /// In the order of creation.
    var inOrder: [StoredItem] { order.compactMap { items[$0] } }

    /// The messages that fit, in the order of creation.
    func messages(where fits: (Message) -> Bool) -> [Message] {
        order.compactMap { id in items[id]?.message.flatMap { fits($0) ? $0 : nil } }
    }

    /// The item that fits and was created last.
    func last(where fits: (StoredItem) -> Bool) -> OperationID? {
        order.last { items[$0].map(fits) ?? false }
    }

    /// The links, by ascending sequence.
    var entries: [OutboxEntry] { links.entries }

    private mutating func listEntries() {
        links.replace(by: pending.compactMap { items[$0].flatMap(entry) } + controls.values.map(\.entry))
    }

    var snapshot: OutboxSnapshot {
        OutboxSnapshot(
            outboxID: outboxID, epoch: epoch, lastTransmitted: lastTransmitted, entries: entries, pauses: pausesTold,
            lineage: lineage)
    }

    private var pausesTold: [OutboxSnapshot.LanePause] { plantedFault == .pausesForgotten ? [] : pauses }

    /// The failed messages that pause their lanes, in the order of creation.
    var pauses: [OutboxSnapshot.LanePause] {
        if failed.isEmpty { return [] }
        return order.filter(failed.contains).compactMap { items[$0]?.pause }
    }

    // MARK: - Commits

    mutating func start(
        _ restart: RestartPolicy, _ failure: Failure, opening: OpeningID? = nil
    ) -> OutboxSnapshot {
        if plantedFault != .epochKept { epoch += 1 }
        if let opening, plantedFault != .epochKept || lineage.opening == nil {
            lineage.open(opening, nextSequence: nextSequence)
        }
        feed = []
        if let lost = unsynced { put(nil, as: lost) }
        if plantedFault == .sequenceTwice {
            let used = items.values.map { max($0.ordinal, $0.laneSequence) }
            nextSequence = (used.max() ?? 0) + 1
        }
        if plantedFault == .ordersByClock { numberByClock() }
        switch restart {
        case .fail: if plantedFault != .sweepSkipped { endSession(failure) }
        case .resume: for id in pending { change(id) { $0.resumed(at: failure.at) } }
        }
        return snapshot
    }

    mutating func enqueue(_ draft: OperationDraft) -> StoredItem {
        let ordinal = takeSequence()
        let mayGo = draft.payload.mayGo(in: draft.lane, with: message(draft.payload.related))
        let item = StoredItem(draft, ordinal: ordinal, laneSequence: mayGo ? ordinal : 0)
        put(item, as: item.id)
        tellFeed(item)
        overlay(item.target)
        if plantedFault == .enqueueNotDurable { unsynced = item.id }
        return item
    }

    mutating func commit(_ mutations: [Mutation]) {
        commits += 1
        unsynced = nil
        let known = feed.count
        for mutation in mutations { apply(mutation) }
        // After a reset the feed is shorter.
        guard feed.count > known else { return }
        let appended = feed.dropFirst(known).filter { $0.kind != .send || items[$0.message] != nil }
        feed.replaceSubrange(known..., with: appended)
    }

    private mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            let counted = plantedFault == .attemptsNotCounted ? 0 : attempts
            change(id) { $0.attempted(previous: previous, attempts: counted, at: time) }
        case .requeue(let id, let attempts, let time):
            change(id) { $0.requeued(attempts: attempts, at: time) }
            if plantedFault == .requeueForgetsPrevious { change(id) { $0.withoutPrevious } }
        case .deliver(let id, let serverPosition, let time): deliver(id, serverPosition, at: time)
        case .fail(let id, let failure, let inDoubt): fail(id, failure, inDoubt: inDoubt)
        case .settle(let id): change(id) { $0.settled() }
        case .resend(let id, let time): resend(id, at: time)
        case .park(let id, let failure): park(id, failure)
        case .upload(let id, let step, let time): upload(id, step, at: time)
        case .enqueue(let draft): _ = enqueue(draft)
        case .rewrite(let id, let content):
            change(id) { $0.rewritten(content) }
            overlay(id)
        case .delete(let id):
            put(nil, as: id)
            release(id, at: nil)
        case .recordDelete(let action):
            deletions.insert(action.message)
            if keepsHistory { deleteActions.append(action) }
        case .merge(let placed, let time): merge(placed, at: time)
        case .endSession(let failure):
            endSession(failure)
            for id in failed { change(id) { $0.unpaused() } }
        case .forkOutbox(let id, let time): forkOutbox(id, entries, at: time)
        case .keepHistory(let history): self.history = history
        case .followHistory(let history, let id, let marks, let time):
            self.history = history
            followHistory(id, marks: marks, at: time)
        case .saveSession, .mergeRecords, .removeRecord, .setEventCursor, .prune: break
        default: applyToChain(mutation)
        }
    }

    private mutating func applyToChain(_ mutation: Mutation) {
        switch mutation {
        case .putMarker(let entry): controls[entry.sequence] = entry
        case .appendDelete(let id, let lane):
            let entry = ChainMarker(kind: .delete, lane: lane, sequence: takeSequence(), previous: nil, message: id)
            controls[entry.sequence] = entry
            feed.append(entry.entry)
        case .attemptMarker(let sequence, let previous): controls[sequence]?.previous = previous
        case .removeMarker(let sequence): controls[sequence] = nil
        case .rebase(let sequence, let previous):
            if controls[sequence] != nil {
                controls[sequence]?.previous = previous
            } else if let id = pending.first(where: { items[$0]?.laneSequence == sequence }) {
                change(id) { $0.rebased(previous: previous) }
            }
        case .setLastTransmitted(let lane, let sequence): lastTransmitted[lane] = sequence
        default: preconditionFailure("not a mutation of the chain")
        }
    }

    mutating func change(_ id: OperationID, _ step: (StoredItem) -> StoredItem) {
        guard let item = items[id] else { return }
        put(step(item), as: id)
    }

    /// Writes or removes an item; when it is an operation, its target message is updated.
    mutating func put(_ item: StoredItem?, as id: OperationID) {
        let former = items[id]
        let target = (item ?? former)?.target
        items[id] = item
        if former == nil, item != nil {
            order.append(id)
        } else if former != nil, item == nil, let place = order.lastIndex(of: id) {
            order.remove(at: place)
        }
        if !keepsHistory { items[id]?.history = [] }
        let state = item?.syncState
        let isPending = state != nil && state != .synced && state != .error
        if isPending { pending.insert(id) } else if former != nil { pending.remove(id) }
        if state == .error { failed.insert(id) } else if former != nil { failed.remove(id) }
        if item?.related != nil { related.insert(id) } else if former != nil { related.remove(id) }
        links.replace(by: isPending ? items[id].flatMap(entry) : nil, of: id, at: former?.laneSequence)
        overlay(target)
    }

    private mutating func merge(_ placed: RemoteMessage, at time: Timestamp) {
        defer {
            overlay(placed.id)
            release(placed.id, at: time)
        }
        if let message = message(placed.id) {
            var merged = message.merged(with: placed, at: time)
            let isShared = message.ordinal < lineage.sharedBelow
            if message.syncState == .error || (message.isUndelivered && isShared) {
                merged = merged.deliveredElsewhere()
            }
            put(.message(merged), as: placed.id)
        } else if !deletions.contains(placed.id) || plantedFault == .mergeRevives {
            put(.message(Message(placed, ordinal: takeSequence())), as: placed.id)
        }
    }

    private mutating func endSession(_ failure: Failure) {
        let sharedBelow = lineage.sharedBelow
        // In the order of creation: what was parked gets its number here.
        for id in inOrder.filter(\.isPending).map(\.id) where items[id]?.isWaitingOperation == false {
            let fence = items[id]?.fence(sharedBelow: sharedBelow) { takeSequence() }
            if let fence, plantedFault != .sweepLeavesNoFence { controls[fence.sequence] = fence }
            change(id) { $0.sessionEnded(failure, sharedBelow: sharedBelow) }
        }
    }

    mutating func forkOutbox(_ id: OutboxID, _ links: [OutboxEntry], at time: Timestamp) {
        outboxID = id
        controls = [:]
        lastTransmitted = [:]
        feed = []
        for link in links {
            let sequence = takeSequence()
            if link.kind == .send {
                change(link.message) { item in
                    let queued = item.message.map { .message($0.lost(sequence: sequence, at: time)) } ?? item
                    return queued.forked(sequence: sequence, at: time)
                }
            } else {
                controls[sequence] = ChainMarker(forking: link, sequence: sequence)
            }
        }
        let asked = Set(links.filter { $0.kind == .fence }.map(\.message))
        for message in inOrder where message.syncState == .error {
            guard let lane = message.lane else { continue }
            if !asked.contains(message.id) {
                let sequence = takeSequence()
                controls[sequence] = ChainMarker(
                    kind: .fence, lane: lane, sequence: sequence, previous: nil, message: message.id)
            }
            change(message.id) { $0.inDoubt() }
        }
        lineage.sharedBelow = nextSequence
    }

    mutating func clearOtherAccounts() { otherAccounts = [:] }

    /// Applies the planted faults of account switches.
    mutating func forgetWhatAVisitMustNot() {
        if plantedFault == .visitForgetsDeletions { controls = controls.filter { $0.value.kind == .fence } }
        guard plantedFault == .visitForgetsDoubts else { return }
        controls = [:]
        for id in items.keys { change(id) { $0.settled() } }
    }

    /// The store with another account as the current one.
    func returning(to new: UserID, leaving left: ModelStore, of old: UserID) -> ModelStore {
        var found = otherAccounts[new] ?? ModelStore(outboxID: outboxID, plantedFault: plantedFault)
        found.epoch = epoch
        found.nextSequence = nextSequence
        found.lineage.takeOver(from: lineage)
        found.keepsHistory = keepsHistory
        found.commits = commits
        found.otherAccounts = otherAccounts
        found.otherAccounts[new] = nil
        found.otherAccounts[old] = left
        return found
    }

    mutating func takeSequence() -> Int64 {
        defer { nextSequence += 1 }
        return nextSequence
    }

    mutating func tellFeed(_ item: StoredItem) {
        if plantedFault == .feedLosesCommits, item.laneSequence % 10 == 7 { return }
        if let entry = entry(item) { feed.append(entry) }
    }

    /// For `ordersByClock`: reorders the messages that were never transmitted by their dates.
    private mutating func numberByClock() {
        let unsent = inOrder.filter { $0.isPending && $0.previousSequence == nil }
        for lane in Set(unsent.compactMap(\.lane)) {
            let waiting = unsent.filter { $0.lane == lane }
            let numbers = waiting.map(\.laneSequence).sorted()
            let dated = waiting.sorted { ($0.createdAt, $0.ordinal) < ($1.createdAt, $1.ordinal) }
            for (message, number) in zip(dated, numbers) { items[message.id]?.laneSequence = number }
        }
        listEntries()
    }

    private func entry(_ item: StoredItem) -> OutboxEntry? {
        var entry = item.entry(bytes: item.sentContent.modelBytes)
        if plantedFault == .operationsUnmarked { entry?.isOperation = false }
        if plantedFault == .uploadsForgotten { entry?.upload = nil }
        return entry
    }
}

extension StoredItem {
    fileprivate var withoutPrevious: StoredItem {
        var item = self
        item.previousSequence = nil
        return item
    }
}

extension MessageContent {
    /// The number of bytes that count against a batch.
    var modelBytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        default: 20
        }
    }
}
