import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

/// A client's state, as far as the judge checks it.
protocol Candidate {
    var store: ModelStore { get }
    /// `nil` while no process runs.
    var machine: Machine? { get }
    /// The messages whose results are awaited.
    var waiting: Set<MessageID> { get }
    /// The number of links that may have disappeared because messages were resent, or operations folded.
    var removedCount: Int { get }
    /// True when another process or copy of its outbox exists.
    var isShared: Bool { get }
    /// True when it has performed all actions of its machine.
    var hasPerformedAll: Bool { get }
    /// The last history of the hub that it knows, for its current account; `nil` where the hub names none.
    var history: ServerHistory? { get }
}

/// A world that the judge knows: the witness's records, and the hub.
protocol JudgedWorld {
    var expected: ExpectedState { get }
    var hub: ModelHub { get }
    var oracle: HubOracle { get }
    var configuration: OutboxConfiguration { get }
    /// Returns the finding, or `nil` when the check that made it is switched off.
    func heard(_ finding: String?) -> String?
}

/// The invariants, each in a function that describes the violation; `nil` when there is none.
///
/// Compares the state of one client with the hub's content and the witness's records. Reads them in place: a copy of
/// them for each look would cost more than the look.
struct OutboxOracle<World: JudgedWorld> {
    let world: World

    private func heard(_ finding: String?) -> String? { world.heard(finding) }

    /// True when the hub has lost data that it confirmed to this account of the client, and the client has not noticed
    /// it: it cannot know better until then.
    private func isBehind(_ client: some Candidate, of account: UserID? = nil) -> Bool {
        let part = account.flatMap { client.store.otherAccounts[$0] }
        let known = part.map(\.history) ?? client.history
        return known.map { !world.oracle.holds($0) } ?? false
    }

    // MARK: - Between two inputs

    func brokenBetweenInputs(of client: some Candidate) -> String? {
        guard let machine = client.machine, client.hasPerformedAll, client.store.isFeedEmpty else { return nil }
        if let broken = heard(machine.outbox.brokenInvariant().map { "the machine: \($0)" }) { return broken }
        return heard(machineAndStoreDiffer(client, machine)) ?? heard(tooMuchIndexed(client, machine))
            ?? heard(tooMuchKept(client, machine)) ?? falseVerdict(client)
    }

    /// Checks that a crash now would resume with exactly the machine's state.
    private func machineAndStoreDiffer(_ client: some Candidate, _ machine: Machine) -> String? {
        if machine.outbox.holds(client.store.entries) { return nil }
        let stored = client.store.entries.map(comparable)
        let known = machine.outbox.entries.map(comparable)
        guard stored != known else { return nil }
        for (one, other) in zip(stored, known) where one != other {
            return "the store holds \(one.told), the machine \(other.told)"
        }
        let others = (stored.dropFirst(known.count) + known.dropFirst(stored.count)).map(\.told)
        return "the store holds \(stored.count) links, the machine \(known.count): not both have \(others)"
    }

    /// The link without its time, which the machine reads from a clock that is never set. A message that the hub had
    /// lost takes over an edit that the hub has applied to it before its response arrived: the machine keeps the former
    /// size.
    private func comparable(_ entry: OutboxEntry) -> OutboxEntry {
        var entry = entry
        entry.queuedAt = Timestamp(milliseconds: 0)
        if world.expected.records[entry.message]?.wasLost == true, world.expected.applied[entry.message] != nil {
            entry.bytes = 0
        }
        return entry
    }

    /// Checks that nothing is indexed that neither waits nor is in doubt.
    private func tooMuchIndexed(_ client: some Candidate, _ machine: Machine) -> String? {
        let doubts = client.store.failed.count { client.store.items[$0]?.isInDoubt == true }
        // An older fence of a message that was deleted since may have represented it, until its retraction is over.
        let fences = client.store.controls.values.count { $0.kind == .fence || $0.kind == .retract }
        let indexed = machine.outbox.indexedCount
        let links = client.store.entries.count
        return indexed > links + fences + doubts
            ? "\(indexed) messages are indexed, of \(links) links and \(doubts) doubts" : nil
    }

    /// Checks that memory is bounded by the waiting entries, and by those that disappeared from among them because
    /// users deleted or resent them, or another copy of the store sent them.
    private func tooMuchKept(_ client: some Candidate, _ machine: Machine) -> String? {
        let live = client.store.pending.count + client.store.controls.count
        let depth = machine.outbox.depth
        guard depth > live else { return nil }
        let confirmed = client.store.items.values.count {
            $0.lane != nil && $0.syncState == .synced && $0.previousSequence == nil
        }
        let vanished = client.store.deletions.count + client.removedCount + confirmed
        return depth > live + vanished
            ? "the machine keeps \(depth) links of \(live) live and \(vanished) vanished ones" : nil
    }

    /// Checks that no message on the hub is ever reported as failed without a doubt. Only a network that repeats a
    /// request after its first response can cause that, and then a fence for it is still open.
    private func falseVerdict(_ client: some Candidate) -> String? {
        if isBehind(client) { return nil }
        var broken: UInt64?
        for id in client.store.failed where client.store.items[id]?.isInDoubt == false {
            guard world.hub.accepted[id] != nil, let record = world.expected.records[id], !record.isOutOfHand
            else { continue }
            if record.isRepeated, isAsked(id, client) { continue }
            broken = min(broken ?? .max, id.value.low)
        }
        return broken.map { "\($0) counts as failed, but the hub has it" }
    }

    /// True when a fence or a deletion of the message still has to reach the hub.
    private func isAsked(_ id: MessageID, _ client: some Candidate) -> Bool {
        client.store.asksAbout(id)
    }

    // MARK: - When the hub stores a message

    func brokenByStoring(_ stored: ModelHub.Stored, from client: some Candidate) -> String? {
        let id = stored.message
        guard let record = world.expected.records[id] else { return "the hub stored a message that nobody created" }
        if let twice = heard(storedTwice(id)) { return twice }
        let isKnown = record.sequences.contains(stored.sequence)
        if let wrong = heard(isKnown ? nil : "\(id.value.low) never had place \(stored.sequence)") { return wrong }
        return heard(outOfOrder(stored)) ?? heard(behindItsPicture(stored, client))
            ?? storedAfterVerdict(id, record, client)
    }

    /// Where media waits for text, no text arrives after media that was created later.
    private func behindItsPicture(_ stored: ModelHub.Stored, _ client: some Candidate) -> String? {
        guard let follower = world.configuration.precedence.first(where: { $0.value == stored.key.lane })?.key else {
            return nil
        }
        var key = stored.key
        key.lane = follower
        guard let media = world.expected.lastStored[key], media > stored.sequence else { return nil }
        // Two copies of a store take numbers from each other.
        if client.isShared || world.expected.records[stored.message]?.isOutOfHand == true { return nil }
        let text = stored.message.value.low
        return "the hub stored \(text) (\(stored.sequence)) after media (\(media)) that waits for it"
    }

    /// Checks that there is at most one copy, ever, under any id.
    private func storedTwice(_ id: MessageID) -> String? {
        let original = world.expected.original(of: id)
        let names = [original] + world.expected.copies.filter { $0.value == original }.map(\.key)
        let copies = names.reduce(0) { $0 + (world.hub.accepted[$1]?.copies ?? 0) }
        return copies > 1 ? "the hub stored \(original.value.low) twice" : nil
    }

    /// Checks that the hub stores the messages of a lane in the order of their sequences.
    private func outOfOrder(_ stored: ModelHub.Stored) -> String? {
        guard let before = world.expected.lastStored[stored.key], before >= stored.sequence else { return nil }
        return "the hub stored \(stored.message.value.low) (\(stored.sequence)) after place \(before)"
    }

    /// Checks that no late copy contradicts a final verdict or a deletion.
    private func storedAfterVerdict(_ id: MessageID, _ record: ExpectedState.Record, _ client: some Candidate)
        -> String?
    {
        // The hub had the deletion before the message: it keeps the place and shows nothing.
        if record.isOutOfHand || world.hub.accepted[id]?.isDeleted == true { return nil }
        if isBehind(client, of: record.sender) { return nil }
        guard let message = client.store.itemOfAny(id, of: record.sender) else {
            return isAsked(id, client)
                ? nil : "the hub stored \(id.value.low), which had been deleted for good"
        }
        guard message.syncState == .error, !message.isInDoubt, !(isAsked(id, client) && record.isRepeated) else {
            return nil
        }
        return "the hub stored \(id.value.low), which had been called failed"
    }

    // MARK: - When a client commits

    func brokenBy(_ mutation: Mutation, in client: some Candidate) -> String? {
        switch mutation {
        case .deliver(let id, let serverPosition, at: _): return falselyDelivered(id, serverPosition, client)
        case .merge(let placed, at: _): return falselyDelivered(placed.id, placed.serverPosition, client)
        case .settle(let id): return falselySettled(id, client)
        case .requeue(let id, let attempts, at: _): return countedForNothing(id, attempts)
        case .fail(let id, let failure, let inDoubt):
            guard let record = world.expected.records[id] else { return "somebody else's message failed" }
            if !inDoubt, world.hub.accepted[id] != nil, !record.isRepeated, !record.isOutOfHand, !isBehind(client) {
                return "\(id.value.low) is called failed, but the hub has it"
            }
            return failedWithoutReason(id, record, failure, client)
        case .park(let id, let failure):
            guard let message = client.store.items[id], let record = world.expected.records[id] else {
                return nil
            }
            let related = message.related.flatMap { client.store.items[$0] }
            if related?.isUndelivered == true { return nil }
            if world.hub.accepted[id] != nil, !record.isRepeated, !record.isOutOfHand, !isBehind(client) {
                return "\(id.value.low) is called failed, but the hub has it"
            }
            return failedWithoutReason(id, record, failure, client)
        default: return nil
        }
    }

    /// Checks that an attempt was counted only for a failure that counts or a crash: not for one that the driver
    /// cancelled.
    private func countedForNothing(_ id: MessageID, _ attempts: Int) -> String? {
        // Two copies of a store count separately.
        guard let record = world.expected.records[id], !record.isOutOfHand, attempts > record.failedAttempts else {
            return nil
        }
        return "\(id.value.low) has used up \(attempts) attempts, and \(record.failedAttempts) failed"
    }

    private func falselyDelivered(
        _ id: MessageID, _ serverPosition: ServerPosition, _ client: some Candidate
    ) -> String? {
        if isBehind(client), world.oracle.wasGiven(serverPosition, to: id) { return nil }
        guard let accepted = world.hub.accepted[id] else {
            return "\(id.value.low) is called synced, but the hub has it not"
        }
        return accepted.serverPosition == serverPosition ? nil : "\(id.value.low) is called synced in a wrong place"
    }

    /// Checks that a resent message is accepted at its new position, never at an old one.
    private func falselySettled(_ id: MessageID, _ client: some Candidate) -> String? {
        guard let accepted = world.hub.accepted[id], let message = client.store.items[id],
            world.expected.records[id]?.isOutOfHand == false, !isBehind(client)
        else { return nil }
        if message.isPending, message.laneSequence == accepted.sequence { return nil }
        return "\(id.value.low) is called undelivered for good, but the hub has it"
    }

    /// Checks that retries are exhausted only by failures that count, and that only refused messages are reported as
    /// refused.
    private func failedWithoutReason(
        _ id: MessageID, _ record: ExpectedState.Record, _ failure: Failure, _ client: some Candidate
    ) -> String? {
        if client.store.items[id]?.upload?.isPending == true, failure.code != "parentDeleted" {
            return failedWithItsFile(id, record, failure)
        }
        switch failure.reason {
        case .retriesUsedUp:
            let attempts = world.configuration.retry.retriesMax + 1
            // Two copies of a store count separately.
            guard record.failedAttempts < attempts, !record.isOutOfHand else { return nil }
            return "\(id.value.low) was given up after \(record.failedAttempts) failed attempts, not \(attempts)"
        case .refused:
            guard let place = client.store.items[id]?.laneSequence, !record.refusedPlaces.contains(place),
                failure.code != "parentDeleted"
            else { return nil }
            // Where two copies of a store take turns, the numbers of one bar those of the other.
            if client.isShared || record.isOutOfHand { return nil }
            return "\(id.value.low) was called refused (\(failure.code)), but the hub never refused it there"
        case .unsendable:
            return record.trait == .unsendable ? nil : "\(id.value.low) was called unsendable, but it is not"
        case .expired:
            return world.configuration.expiry == nil ? "\(id.value.low) expired, but nothing does" : nil
        case .sessionEnded: return nil
        }
    }

    /// Checks that a message whose file is not on the hub fails only because of that, or with its session or its age.
    private func failedWithItsFile(_ id: MessageID, _ record: ExpectedState.Record, _ failure: Failure) -> String? {
        switch failure.reason {
        case .retriesUsedUp:
            let attempts = world.configuration.retry.retriesMax + 1
            guard record.uploadFailures < attempts, !record.isOutOfHand else { return nil }
            // Its deliveries had failed so often before its outbox started over, and its file had to be uploaded again.
            if record.failedAttempts >= attempts { return nil }
            return "\(id.value.low) was given up after \(record.uploadFailures) failed uploads, not \(attempts)"
        case .refused:
            return record.mismatches > 1 || record.isOutOfHand
                ? nil : "\(id.value.low) was called refused (\(failure.code)), and its file never was"
        case .unsendable: return "\(id.value.low) was called unsendable, but its file is not"
        case .expired: return world.configuration.expiry == nil ? "\(id.value.low) expired, but nothing does" : nil
        case .sessionEnded: return nil
        }
    }

    // MARK: - When a user logs in

    /// Checks that no account sees messages that another one created here, except those received from the hub.
    func showsAnothers(_ client: some Candidate, to user: UserID) -> String? {
        let foreign = client.store.items.values.filter { $0.lane != nil && $0.sender != user }.map(
            \.id.value.low)
        return foreign.min().map { "\($0) of another account is shown to \(user)" }
    }

    // MARK: - When a result is reported

    /// Checks that each waiter gets exactly one result, and a true one.
    func brokenBy(_ result: DeliveryResult, of id: MessageID, to client: some Candidate) -> String? {
        if !client.waiting.contains(id) { return "\(id.value.low) was completed twice" }
        // The delivered result of an operation is its effect.
        if world.expected.records[id]?.isOperation == true { return nil }
        let message = client.store.items[id]
        switch result {
        case .delivered where message == nil:
            // The server reported with the result that it was deleted.
            return world.hub.holds(id) ? "\(id.value.low) is told delivered, and is not there" : nil
        case .delivered: return message?.syncState == .synced ? nil : "\(id.value.low) is told delivered before it is"
        case .failed(let failure):
            if message?.syncState != .error { return "\(id.value.low) is told failed before it is" }
            return triedNever(id, failure, message)
        case .deleted: return message == nil ? nil : "\(id.value.low) is told deleted before it is"
        }
    }

    /// Checks that a message that the server refused, or that exhausted its retries, has at least one attempt.
    private func triedNever(_ id: MessageID, _ failure: Failure, _ message: StoredItem?) -> String? {
        guard message?.attempts == 0, message?.upload?.isPending != true else { return nil }
        switch failure.reason {
        case .refused where failure.code != "parentDeleted", .retriesUsedUp:
            return "\(id.value.low) is told failed (\(failure.code)), and shows no attempt"
        default: return nil
        }
    }

    // MARK: - At the end

    /// Checks that nothing created is lost, and that every verdict is true.
    func brokenAtTheEnd(_ id: MessageID, _ record: ExpectedState.Record, in client: some Candidate)
        -> String?
    {
        if record.isOperation { return operationBroken(id, record, client) }
        guard let message = client.store.itemOfAny(id, of: record.sender) else {
            // Another copy of the store deleted it on the hub, which said so.
            if record.isOutOfHand, world.hub.hasDeletion(of: id, by: record.sender) { return nil }
            if !record.isDeleted, world.expected.original(of: id) == id { return "\(id.value.low) was lost" }
            if record.isOutOfHand { return nil }
            return world.hub.holds(id) ? "\(id.value.low) was deleted, and the hub has it" : nil
        }
        if record.isDeleted { return "\(id.value.low) was deleted, and is still there" }
        switch message.syncState {
        case .synced:
            if record.isOutOfHand {
                return world.hub.accepted[id] == nil ? "\(id.value.low) is not on the hub" : nil
            }
            return world.hub.holds(id)
                ? message.message.flatMap { showsOtherwise($0, client) }
                : "\(id.value.low) is synced, and the hub has it not"
        case .error:
            if record.isOutOfHand { return nil }
            if message.isInDoubt {
                // Its account left before the verdict, and does not come back.
                let hasLeft = client.store.otherAccounts[record.sender] != nil
                return hasLeft && isAsked(id, client) ? nil : "\(id.value.low) stayed in doubt"
            }
            return world.hub.accepted[id] == nil ? nil : "\(id.value.low) is failed, and the hub has it"
        case .created where message.isParked:
            let related = message.related.flatMap { client.store.itemOfAny($0, of: record.sender) }
            return related?.isUndelivered == true ? nil : "\(id.value.low) waits for what is there"
        case .created, .uploading, .syncing: return "\(id.value.low) is still \(message.syncState.rawValue)"
        }
    }

    /// Checks that an operation is applied or given up, and applied at most once, after its message was stored.
    private func operationBroken(_ id: MessageID, _ record: ExpectedState.Record, _ client: some Candidate) -> String? {
        let store = client.store.part(of: record.sender)
        if let message = store.items[id], message.isPending, !record.isOutOfHand {
            let target = message.target.flatMap { store.items[$0] }
            if !message.isParked || target?.isUndelivered != true {
                return "operation \(id.value.low) never ended"
            }
        }
        guard let accepted = world.hub.accepted[id], let target = accepted.target else { return nil }
        guard let message = world.hub.accepted[target] else { return "operation \(id.value.low) was done to nothing" }
        if message.serverPosition.position > accepted.serverPosition.position {
            return "operation \(id.value.low) was done before its message was there"
        }
        let times = message.applied.filter { $0 == id }.count
        return times == 1 ? nil : "operation \(id.value.low) was done \(times) times"
    }

    /// Checks that a message finally shows the hub's content, which is the last requested one unless that was refused.
    private func showsOtherwise(_ message: Message, _ client: some Candidate) -> String? {
        guard let accepted = world.hub.accepted[message.id], accepted.copies == 1 else { return nil }
        let operations = client.store.part(of: message.sender).dependantOperations(of: message.id)
        guard operations.isEmpty else { return nil }
        if message.content != accepted.content {
            return "\(message.id.value.low) shows another content than the hub has"
        }
        let own = Set(accepted.reactors.filter { $0.value.contains(message.sender) }.keys)
        if message.myReactions != own {
            return "\(message.id.value.low) shows other reactions than the hub has"
        }
        guard let wanted = world.expected.wanted[message.id], !wanted.isSpoiled else { return nil }
        if wanted.content != accepted.content {
            return "the last edit of \(message.id.value.low) is not what the hub has"
        }
        return wanted.reactions == accepted.reactions
            ? nil
            : "the reactions to \(message.id.value.low) are \(accepted.reactions.sorted()), not those wanted last: "
                + "\(wanted.reactions.sorted())"
    }

    /// Checks that the hub's messages are in the order in which they reached the tail of their lane: when they were
    /// created, when a user resent them, or when the message they waited for was stored. Messages that the machine
    /// renumbers keep their turn.
    func outOfCreationOrder() -> String? {
        var last: [ClientLane: Int64] = [:]
        for stored in world.hub.history {
            guard let record = world.expected.records[stored.message], !record.isOutOfHand,
                let turn = record.turns[stored.sequence]
            else {
                continue
            }
            let before = last.updateValue(turn, forKey: ClientLane(key: stored.key, client: record.client))
            if let before, before > turn {
                return "\(stored.message.value.low) stands on the hub behind what came to the tail after it"
            }
        }
        return nil
    }
}

/// A lane of the hub as one client uses it.
private struct ClientLane: Hashable {
    var key: ModelHub.LaneKey
    var client: Int
}

extension OutboxEntry {
    var told: String {
        "\(previous.map { "\($0)" } ?? "?")<\(sequence) \(kind) \(message.value.low) (\(attempts) attempts)"
    }
}
