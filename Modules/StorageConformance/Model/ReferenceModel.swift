import CausewayModels
import CausewayStorage

/// The expected contents of a store: the port's rules, implemented once more in the simplest form, with no index and no
/// disk.
///
/// The store chooses the numbers. Where it assigns new ones the model has a gap, which ``adopt(from:)`` fills after
/// comparing the number with those assigned before.
struct ReferenceModel {
    static let gap = Int64.min

    /// The current account, to which all properties below belong.
    var account: Account?
    var outboxID = Sample.outboxID
    /// The messages and the operations.
    var items: [MessageID: ReferenceItem] = [:]
    /// The confirmed body of each message.
    var bodies: [MessageID: MessageBody] = [:]
    /// Tombstones of deleted messages. No history reaches ``Limits/deletedMessagesReachMax``.
    var deleted: [MessageID: DeletedMessage] = [:]
    var controls: [ChainMarker] = []
    var lastTransmitted: [LaneID: Int64] = [:]
    var session: Session?
    /// Newest last.
    var deletions: [DeleteAction] = []
    /// The models of the other accounts.
    private var others: [Account: ReferenceModel] = [:]
    var epoch: Int64 = 0
    var history: ServerHistory?
    var eventCursor: EventCursor?
    /// Every opening in which the account was current, newest first.
    var openings: [OpeningID] = []
    /// The links in their order, if another copy was detected in the last commit.
    var forked: [OutboxEntry]?
    /// The links that the last commit added to lanes, in order. The store chooses their sequences: here they are gaps.
    var appended: [OutboxEntry] = []
    /// The limit that the store returned at the last fork: the other copy has all smaller numbers, too.
    var sharedBelow: Int64 = 0
    /// The number that all new ones must exceed.
    var highest: Int64 = 0
    /// The value that `highest` takes with the current commit; applies from the next commit on.
    private var mark: Int64 = 0

    // MARK: Events

    mutating func start(_ opening: StartOptions) {
        epoch += 1
        openings.insert(opening.opening, at: 0)
        switch opening.restart {
        case .fail:
            endSession(opening.failure)
        case .resume:
            for id in items.keys where isQueued(id) && items[id]?.syncState != .created {
                become(.created, id, opening.failure.at)
            }
        }
        render()
    }

    mutating func enqueue(_ message: Message) throws {
        try take(message.ordinal, "an ordinal")
        if message.laneSequence != message.ordinal, message.laneSequence != 0 {
            try take(message.laneSequence, "a lane sequence")
        }
        let parked = mustWait(.create(message.content, parent: message.parent), message.lane)
        try requireEqual(
            message.laneSequence == 0, parked, "whether \(message.id) waits for another message")
        items[message.id] = ReferenceItem(message)
        bodies[message.id] = MessageBody(content: message.content, tags: message.tags)
        appended = []
        if !parked { append(message.id) }
        render()
    }

    mutating func commit(_ mutations: [Mutation]) {
        appended = []
        for mutation in mutations { apply(mutation) }
        appended.removeAll { $0.kind == .send && items[$0.message] == nil }
    }

    private mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            guard isQueued(id), !isParked(id) else { return }
            items[id]?.previousSequence = previous
            items[id]?.attempts = attempts
            items[id]?.lastAttemptAt = time
            if items[id]?.syncState != .syncing { become(.syncing, id, time) }
        case .requeue(let id, let attempts, let time):
            guard isQueued(id), !isParked(id) else { return }
            become(.created, id, time)
            items[id]?.attempts = attempts
            items[id]?.failure = nil
        case .deliver(let id, let serverPosition, let time):
            deliver(id, serverPosition, time)
        case .fail(let id, let failure, let inDoubt):
            fail(id, failure, inDoubt)
        case .settle(let id):
            items[id]?.isInDoubt = false
        case .resend(let id, let time):
            if let operation = items[id]?.queued {
                resend(id, mustWait(operation.payload, operation.lane), time)
            }
        case .park(let id, let failure):
            park(id, failure)
        case .enqueue(let draft):
            let place = mustWait(draft.payload, draft.lane) ? 0 : Self.gap
            items[draft.id] = ReferenceItem(draft, ordinal: Self.gap, laneSequence: place)
            bodies[draft.id] = MessageBody(content: draft.payload.content, tags: draft.payload.tags)
            if place != 0 { append(draft.id) }
        case .rewrite(let id, let content):
            rewrite(id, content)
        case .upload(let id, let step, let time):
            upload(id, step, time)
        case .delete(let id):
            keep(id)
            items[id] = nil
            bodies[id] = nil
            release(id, nil)
        case .prune(let ids, let account):
            prune(ids, of: account)
        case .merge(let placed, let time):
            merge(placed, time)
        case .recordDelete(let action):
            var action = action
            action.sequence = Self.gap
            deletions.append(action)
        case .saveSession(let session):
            save(session)
        case .endSession(let failure):
            endSession(failure)
            for id in items.keys where items[id]?.syncState == .error { releaseLane(id) }
        case .forkOutbox(let id, let time):
            fork(id, time)
        case .keepHistory(let history):
            self.history = history
        case .followHistory(let history, let id, let marks, let time):
            follow(history, marks, time)
            fork(id, time)
        case .putMarker, .appendDelete, .attemptMarker, .removeMarker, .rebase, .setLastTransmitted:
            applyToChain(mutation)
        case .setEventCursor(let cursor):
            eventCursor = cursor
        case .eraseAccount(let id): erase(id)
        case .mergeRecords, .removeRecord: break  // in `RecordModel`
        }
    }

    private mutating func erase(_ id: OutboxID) {
        (items, bodies, controls, lastTransmitted, deletions, appended) = ([:], [:], [], [:], [], [])
        deleted = [:]
        (history, eventCursor, forked) = (nil, nil, nil)
        outboxID = id
    }

    /// - Precondition: no number is open when the account changes.
    private mutating func save(_ session: Session) {
        if let account, account != session.account {
            var next = others[session.account] ?? ReferenceModel()
            if next.account == nil { next.outboxID = OutboxID(session.id.value) }
            next.others = others
            next.others[account] = self
            (next.epoch, next.highest, next.mark) = (epoch, highest, mark)
            next.sharedBelow = sharedBelow
            if let opening = openings.first, next.openings.first != opening { next.openings.insert(opening, at: 0) }
            self = next
        }
        account = session.account
        self.session = session
    }

    private mutating func applyToChain(_ mutation: Mutation) {
        switch mutation {
        case .putMarker(let entry):
            controls.removeAll { $0.sequence == entry.sequence }
            controls.append(entry)
            mark = max(mark, entry.sequence)
        case .appendDelete(let id, let lane):
            let link = ChainMarker(kind: .delete, lane: lane, sequence: Self.gap, previous: nil, message: id)
            controls.append(link)
            appended.append(link.entry)
        case .removeMarker(let sequence):
            controls.removeAll { $0.sequence == sequence }
        case .attemptMarker(let sequence, let previous):
            guard let index = controls.firstIndex(where: { $0.sequence == sequence }) else { return }
            controls[index].previous = previous
        case .rebase(let sequence, let previous):
            if let index = controls.firstIndex(where: { $0.sequence == sequence }) {
                controls[index].previous = previous
            } else if let id = items.values.first(where: {
                isQueued($0.id) && $0.laneSequence == sequence && sequence != 0
            })?.id {
                items[id]?.previousSequence = previous
            }
        case .setLastTransmitted(let lane, let sequence):
            lastTransmitted[lane] = sequence
        default:
            break
        }
    }

    private mutating func endSession(_ failure: Failure) {
        for message in items.values.filter({ isQueued($0.id) }).sorted(by: { $0.ordinal < $1.ordinal }) {
            let isParked = message.syncState == .created && message.laneSequence == 0
            if message.isOperation, isParked { continue }
            let isShared = message.ordinal != Self.gap && message.ordinal < sharedBelow
            let mayBeThere = message.previousSequence != nil || isShared
            become(.error, message.id, failure.at)
            items[message.id]?.failure = failure
            items[message.id]?.isInDoubt = message.isInDoubt || mayBeThere
            guard let lane = message.lane, mayBeThere else { continue }
            if !isParked { controls.removeAll { $0.sequence == message.laneSequence } }
            controls.append(
                ChainMarker(
                    kind: .fence, lane: lane, sequence: isParked ? Self.gap : message.laneSequence,
                    previous: message.previousSequence, message: message.id))
        }
    }

    mutating func releaseLane(_ id: MessageID) {
        guard let old = items[id]?.failure else { return }
        items[id]?.failure = Failure(reason: old.reason, code: old.code, detail: old.detail, at: old.at)
    }

    func isUndelivered(_ id: MessageID) -> Bool {
        guard let message = items[id] else { return false }
        return message.syncState != .synced
    }

    func isQueued(_ id: MessageID) -> Bool {
        isUndelivered(id) && items[id]?.syncState != .error
    }

    // MARK: Numbers

    /// Adopts the numbers that the store assigned in its last commit.
    mutating func adopt(from store: any Store) async throws {
        if let forked { try await adopt(forked, from: store) }
        forked = nil
        var fresh: [Int64] = []
        for (id, item) in items {
            guard item.ordinal == Self.gap || item.laneSequence == Self.gap else { continue }
            let found = try await numbers(of: id, in: store)
            if item.ordinal == Self.gap {
                items[id]?.message = item.message.with(ordinal: found.ordinal)
                fresh.append(found.ordinal)
            }
            if item.laneSequence == Self.gap {
                items[id]?.laneSequence = found.sequence
                if item.ordinal != Self.gap || found.sequence != found.ordinal {
                    fresh.append(found.sequence)
                }
            }
        }
        let appended = controls.indices.filter { controls[$0].sequence == Self.gap }
        if !appended.isEmpty {
            let known = Set(controls.map(\.sequence))
            let found = try await store.outbox().entries.filter { $0.kind != .send && !known.contains($0.sequence) }
            try requireEqual(found.map(\.message), appended.map { controls[$0].message }, "new links of the outbox")
            try requireEqual(found.map(\.kind), appended.map { controls[$0].kind }, "kinds of new links")
            for (index, entry) in zip(appended, found) { controls[index].sequence = entry.sequence }
            // A fence takes over the number of a message that was released in the same commit.
            fresh += found.filter { items[$0.message]?.laneSequence != $0.sequence }.map(\.sequence)
        }
        let recorded = deletions.indices.filter { deletions[$0].sequence == Self.gap }
        if !recorded.isEmpty {
            let found = try await store.deleteActions(before: nil, limit: recorded.count).reversed()
            for (index, action) in zip(recorded, found) { deletions[index].sequence = action.sequence }
            fresh += found.map(\.sequence)
        }
        for number in fresh.sorted() { try take(number, "a number") }
        highest = max(highest, mark)
        try checkReleases()
        render()
    }

    private func numbers(of id: MessageID, in store: any Store) async throws -> (
        ordinal: Int64, sequence: Int64
    ) {
        if let message = try await store.message(id) { return (message.ordinal, message.laneSequence) }
        if let operation = try await store.operation(id) {
            return (operation.ordinal, operation.laneSequence)
        }
        throw ConformanceFailure(detail: "\(id) is missing", file: #fileID, line: #line)
    }

    mutating func take(_ number: Int64, _ what: String) throws {
        try require(number > highest, "\(what) that was handed out before: \(number), after \(highest)")
        highest = number
    }
}

extension Message {
    fileprivate func with(ordinal: Int64) -> Message {
        Message(
            id: id, channel: channel, sender: sender, parent: parent, displayed: displayed,
            confirmed: confirmed,
            createdAt: createdAt,
            ordinal: ordinal, lane: lane, laneSequence: laneSequence, queuedAt: queuedAt, syncState: syncState,
            failure: failure, isInDoubt: isInDoubt, serverPosition: serverPosition, attempts: attempts,
            lastAttemptAt: lastAttemptAt, history: history, previousSequence: previousSequence, upload: upload)
    }
}
