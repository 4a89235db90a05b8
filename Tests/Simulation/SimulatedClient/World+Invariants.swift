import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage
import CausewayTransport

/// The invariants: after each opening and each commit, at each request, at the hub, and at the end.
extension World {
    // MARK: - At the store

    /// Checks that an opening has completed the work of the previous run, and that no commit is lost.
    func hasStarted(_ process: Int, _ restart: RestartPolicy) {
        guard processes[process].isWitnessed else { return }
        readAgain(process)
        brokenSweep(process, restart).map { words in violated(.sweep, words) }
        brokenByLoss(processes[process].device).map { words in violated(.loss, words) }
        checkVerdicts(process)
    }

    /// Rereads the store after a reset of the feed. Operations may have disappeared without a notification: their
    /// message had been deleted.
    private func readAgain(_ process: Int) {
        processes[process].mirror.take(processes[process].disk.contents)
        keepAttemptsUnderWay(process)
        checkOwners(processes[process].mirror.items.values, process)
        for id in expected.created where expected.records[id]?.device == processes[process].device {
            guard let record = expected.records[id], !record.item.createsMessage, isHome(record, process)
            else {
                continue
            }
            if processes[process].mirror.items[id] == nil { expected.records[id]?.isDeleted = true }
        }
    }

    /// Checks that no state of the previous run is ever visible.
    private func brokenSweep(_ process: Int, _ restart: RestartPolicy) -> String? {
        for message in processes[process].mirror.inOrder where message.isPending && !message.isWaitingOperation {
            if restart == .fail {
                return "message \(expected.number(message.id)) is \(message.told) after a start that fails all"
            }
            if message.syncState != .created {
                return "message \(expected.number(message.id)) is \(message.told) after a start"
            }
        }
        return nil
    }

    /// Checks that nothing created is lost, and nothing deleted is back.
    private func brokenByLoss(_ device: Int) -> String? {
        guard let process = devices[device].process else { return nil }
        for id in expected.created {
            guard let record = expected.records[id], record.device == device, isHome(record, process)
            else { continue }
            let isThere = processes[process].mirror.items[id] != nil
            if !isThere, !record.isDeleted, !record.isGoneByPage {
                return "message \(record.number) is lost"
            }
            if isThere, record.isDeleted { return "message \(record.number) was deleted, and is there" }
        }
        return nil
    }

    /// Checks a commit: the feed agrees with the store, and the stored states are true.
    func hasCommitted(_ process: Int, _ mutations: [Mutation] = []) {
        guard processes[process].isWitnessed else { return }
        if processes[process].mirror.isStale {
            readAgain(process)
            checkVerdicts(process)
        } else if processes[process].mirror.version % 8 == 0 {
            checkFeed(process)
        }
        for case .deliver(let id, let serverPosition, at: _) in mutations {
            checkDelivered(id, serverPosition, process)
        }
        for case .merge(let placed, at: _) in mutations { checkMerged(placed.id, process) }
        for case .fail(let id, let failure, _) in mutations {
            checkVerdict(id, process)
            checkRefusal(id, failure)
        }
        for case .settle(let id) in mutations { checkVerdict(id, process) }
        for case .park(let id, _) in mutations { checkVerdict(id, process) }
    }

    /// Checks that the feed, folded over the initial content, equals the content of the store.
    func checkFeed(_ process: Int) {
        if !processes[process].mirror.agrees(with: processes[process].disk.contents) {
            violated(.feed, "the feed of device \(processes[process].device) tells another history than its store")
        }
    }

    /// Checks that a `synced` message is on the hub, at the reported position. A late response for another account than
    /// the current one changes nothing.
    private func checkDelivered(_ id: MessageID, _ serverPosition: ServerPosition, _ process: Int) {
        if let record = expected.records[id], !isHome(record, process) { return }
        if hub.accepted[id]?.serverPosition != serverPosition,
            !(isBehind(process) && oracle.wasGiven(serverPosition, to: id))
        {
            violated(.delivered, "message \(expected.number(id)) becomes synced, and the hub does not have it there")
        }
    }

    /// Checks that a message merged from a page equals the one on the hub.
    private func checkMerged(_ id: MessageID, _ process: Int) {
        guard let message = processes[process].mirror.message(id), let stored = hub.accepted[id] else {
            return
        }
        // A page may be older than the stored message, or than the hub's, or of data that the hub has lost since.
        guard !isBehind(process), (message.confirmed ?? message.displayed).editedAt == stored.editedAt else { return }
        if message.sentContent != stored.content || message.sender != stored.key.account {
            violated(.merged, "message \(expected.number(id)) reads otherwise than on the hub")
        }
        let body = message.confirmed ?? message.displayed
        // The response to a reaction says nothing of those that other devices of the account added before.
        guard let user = processes[process].disk.account?.user, body.changedAt == stored.changedAt,
            body.clock.page == body.changedAt
        else { return }
        let given = Set(stored.reactors.filter { $0.value.contains(user) }.keys)
        if body.myReactions != given {
            violated(
                .mergedReactions, "message \(expected.number(id)) has the reactions of another account than \(user)'s")
        }
    }

    /// Checks that a refused message was refused by the hub.
    private func checkRefusal(_ id: MessageID, _ failure: Failure) {
        // Some messages fail because of others: see `Store`.
        let isInherited = ["parentDeleted", "messageNotFound"].contains(failure.code)
        guard failure.reason == .refused, !isInherited, let record = expected.records[id], record.refusal == nil,
            !record.isExcused, !isShared(record)
        else { return }
        violated(.refusal, "message \(record.number) counts as refused (\(failure.code)), and the hub never said no")
    }

    /// Checks all messages; names the one that was created first.
    private func checkVerdicts(_ process: Int) {
        let wrong = processes[process].mirror.items.values.filter { isFalselyFailed($0, process) }
        if let first = wrong.map(\.id).min(by: { expected.number($0) < expected.number($1) }) {
            checkVerdict(first, process)
        }
    }

    /// Checks that a message in `error` and not in doubt is not on the hub, unless a pending fence will find it: the
    /// hub refused one copy and accepted another, or has it back from a backup.
    private func checkVerdict(_ id: MessageID, _ process: Int) {
        guard let message = processes[process].mirror.items[id], isFalselyFailed(message, process) else { return }
        violated(
            .finalFailure, "message \(expected.number(id)) is failed for good (\(message.told)), and the hub has it")
    }

    private func isFalselyFailed(_ message: StoredItem, _ process: Int) -> Bool {
        guard message.isFailedForGood, let record = expected.records[message.id], !record.isExcused,
            record.device == processes[process].device, hub.accepted[message.id] != nil
        else { return false }
        return !((record.isRepeated || record.wasBroughtBack) && isAsked(message.id, process)) && !isBehind(process)
    }

    /// True when a fence or a deletion of the message still has to reach the hub.
    private func isAsked(_ id: MessageID, _ process: Int) -> Bool {
        processes[process].mirror.controls.values.contains { $0.message == id }
    }

    // MARK: - At the network

    /// Checks that only stored entries are sent, as they are stored, and only while sending is allowed.
    func witnessSending(_ delivery: Delivery, _ transport: SimulatedTransport) {
        let process = transport.process
        if transport.isRetired { violated(.endedSession, "something is sent after its session had ended") }
        guard processes[process].isWitnessed else {
            for operation in delivery.operations { expected.records[operation.message]?.isSentByCopy = true }
            return
        }
        if let since = processes[process].pausedSince, since < runtime.now {
            violated(.pause, "something is sent during a pause")
        }
        for case .send(let id, channel: _, let content, createdAt: _, parent: _, tags: _) in delivery.operations.map(
            \.body)
        {
            if let file = content.attachment { checkFile(of: id, file) }
        }
        // The attempted message, or else the first fence. The others may accompany one new message after another.
        if let tried = delivery.operations.first(where: \.isSend) ?? delivery.operations.first {
            processes[process].departures[tried.message, default: Moments()].append(runtime.now)
            if processes[process].departures[tried.message]?.isCrowded == true {
                violated(.circles, "message \(expected.number(tried.message)) leaves in a circle")
            }
        }
        for operation in delivery.operations where operation.isSend {
            let number = expected.number(operation.message)
            brokenContent(operation).map { words in violated(.content, words) }
            guard let stored = processes[process].mirror.items[operation.message] else {
                if expected.records[operation.message]?.isDeleted != true {
                    violated(.unwritten, "message \(number) leaves unwritten")
                }
                continue
            }
            // A message that was confirmed a moment ago may be sent once more, and the hub recognizes it. It may show
            // an edit of another device by now.
            if stored.syncState == .synced { continue }
            if operation.content != stored.sentContent {
                violated(.content, "message \(number) leaves as what it is not")
            }
            // A delivery sent under the former outbox id a moment ago is rejected.
            if delivery.outbox != processes[process].disk.outboxID { continue }
            if stored.laneSequence != operation.sequence || stored.previousSequence != operation.previous {
                violated(
                    .numbers, "message \(number) leaves as \(operation.told), and is written down as \(stored.told)")
            }
        }
    }

    /// Checks that every transmission of an operation has the same content until the hub has it: an accepted edit can
    /// only be of the stored content.
    private func brokenContent(_ operation: DeliveryOperation) -> String? {
        let id = operation.message
        let before = expected.records[id]?.sentContents[operation.sequence]
        expected.records[id]?.sentContents[operation.sequence] = operation.content
        guard let before, before != operation.content, expected.applied[id]?.isEmpty ?? true else { return nil }
        return "message \(expected.number(id)) leaves with another content than before"
    }

    // MARK: - At the hub

    /// Checks the hub: order in each lane, at most one copy, the author's name, and nothing that was given up.
    func witnessHub(_ call: DeliveryCall, _ account: UserID, _ report: DeliveryReport) {
        for (operation, outcome) in zip(call.delivery.operations, report.outcomes) {
            if case .refused = outcome { expected.records[operation.message]?.refusal = .message }
            if outcome == .fenced { noteAbsence(of: operation.message) }
        }
        noteRefusals(in: report, of: call.delivery)
        for index in expected.seenOfHistory..<hub.history.count {
            let entry = hub.history[index]
            tell(.stores, call.device, expected.number(entry.message)) {
                "hub: stores message \(expected.number(entry.message))"
            }
            // A list that events do not keep complete asks after each delivery; only requests without one are a circle.
            processes[call.process].pageRequests = Moments()
            if let target = hub.accepted[entry.message]?.target {
                expected.records[target]?.operatingDevices.insert(call.device)
                expected.applied[target, default: []].insert(entry.message)
            }
            let shown = hub.accepted[entry.message]?.target ?? entry.message
            expected.lastContents[shown] = hub.accepted[shown]?.content
            checkStoredFile(entry, call)
            brokenByStoring(entry.message, call, account).map { words in violated(.storing, words) }
            brokenOrder(entry.key, entry.sequence, entry.message).map { words in violated(.order, words) }
            noteOvertaken(by: entry.message, call)
        }
        expected.seenOfHistory = hub.history.count
        attachFiles(of: call.delivery)
        for (operation, outcome) in zip(call.delivery.operations, report.outcomes) where outcome == .deleted {
            // For a message of another user that the hub does not have, it records only the request.
            guard expected.records[operation.message]?.item.sender == account else { continue }
            expected.deletedOnHub.insert(operation.message)
        }
        let newest = network.newestAdmitted[call.device]?[account]?[call.delivery.outbox] ?? -1
        if call.process < newest, !call.delivery.operations.isEmpty {
            violated(
                .processOrder, "the hub takes a delivery of process \(call.process) after one of process \(newest)")
        }
        network.newestAdmitted[call.device, default: [:]][account, default: [:]][call.delivery.outbox] =
            max(newest, call.process)
    }

    private func brokenByStoring(_ id: MessageID, _ call: DeliveryCall, _ account: UserID) -> String? {
        // The other copy of a store delivers for itself, including the entries in flight when the copy was made.
        if processes[call.process].wasCopied { noteStoredByCopy(id, under: call.delivery.outbox) }
        guard let record = expected.records[id], let stored = hub.accepted[id] else {
            return "the hub stores what nobody created"
        }
        if stored.copies > 1 { return "the hub has message \(record.number) twice" }
        if record.item.sender != account { return "message \(record.number) is sent as \(account)'s" }
        if !record.isExcused, stored.applied.isEmpty,
            stored.content != record.sentContents[stored.sequence]
        {
            return "message \(record.number) arrives changed"
        }
        // Its client gave the outbox id up for a lie of the hub's, and nothing bars what is under way under it.
        if expected.formerOutboxes.contains(call.delivery.outbox) { expected.records[id]?.isBeyondRepair = true }
        if record.isExcused || expected.formerOutboxes.contains(call.delivery.outbox) { return nil }
        guard let process = devices[record.device].process,
            let message = processes[process].mirror.items[id], message.syncState == .error,
            !message.isInDoubt,
            !(record.isRepeated && isAsked(id, process)), !isBehind(process)
        else { return nil }
        return "message \(record.number) was failed for good, and the hub takes it"
    }

    // MARK: - At the end

    /// Checks that nobody waits for a client that is closed.
    func checkWaitsEnded() {
        for process in processes.indices {
            guard let number = processes[process].waiting.keys.map({ expected.number($0) }).min() else { continue }
            return violated(.endedWaits, "process \(process) has ended, and a wait for message \(number) has not")
        }
        if watchersLeft > 0 { violated(.endedScreens, "\(watchersLeft) sequences have not ended with their clients") }
    }

    /// True when there is nothing left to do on any device.
    var isIdle: Bool {
        usersLeft == 0 && network.openCalls == 0
            && devices.indices.allSatisfy { device in
                guard let (process, _) = running(device) else { return false }
                let mirror = processes[process].mirror
                return mirror.isIdle && (processes[process].waiting.isEmpty || mirror.hasParked)
            }
    }

    /// Describes why the world is not at rest.
    func toldUnrest() -> String {
        if usersLeft > 0 { return "\(usersLeft) users wait for something" }
        for device in devices.indices {
            guard let (process, _) = running(device) else { return "device \(device) does not run" }
            let mirror = processes[process].mirror
            if let control = mirror.controls.values.min(by: { $0.sequence < $1.sequence }) {
                return
                    "device \(device): \(control.kind)#\(control.sequence) about \(expected.number(control.message))"
            }
            if let message = mirror.inOrder.first(where: { $0.isPending && !$0.isParked }) {
                return "device \(device): message \(expected.number(message.id)) is \(message.told)"
            }
            if !processes[process].waiting.isEmpty {
                let waits = processes[process].waiting.keys.map {
                    "message \(expected.number($0)) (\(expected.records[$0]?.item.asOperation.payload.name ?? "?"))"
                }
                return "device \(device): somebody waits for \(waits.sorted())"
            }
        }
        return "\(network.openCalls) calls"
    }

    /// Returns the footprint of an engine at rest. An engine with a recent request, one that waits after a disk
    /// failure, and one whose waiters may still learn their results from the disk are given time.
    private func restingFootprint(of client: CausewayClient, _ process: Int) async -> SyncFootprint {
        let deadline = runtime.now + latestTimer + .seconds(5)
        while runtime.now < deadline {
            let footprint = await client.footprint()
            if footprint.inputs == 0, footprint.waiters == 0 || !mayReadLate(process) { return footprint }
            await pass(.milliseconds(500))
        }
        return await client.footprint()
    }

    /// True while the timer after the last read that the disk has rejected may not have fired yet: only until then may
    /// a waiter lack a result that the store has.
    private func mayReadLate(_ process: Int) -> Bool {
        guard let rejection = processes[process].lastRejectedRead else { return false }
        return runtime.now < rejection + latestTimer + .seconds(5)
    }

    /// Checks that no page is forgotten; one that a list requests is there soon.
    private func checkPagesUnderWay(_ client: CausewayClient, _ device: Int) async {
        // A call for events counts as one.
        guard await client.footprint().pages > 1 else { return }
        await pass(Plan.callTimeout + latestTimer + .seconds(5))
        let pages = await client.footprint().pages
        if pages > 1 { violated(.forgottenPages, "device \(device) is at rest, and \(pages) pages are under way") }
    }

    /// Checks the invariants that hold when there is nothing left to do.
    ///
    /// - Parameter isLast: whether every account of every device has returned.
    func checkTheEnd(isLast: Bool) async {
        endExcuses()
        for device in devices.indices {
            brokenByLoss(device).map { words in violated(.loss, words) }
            guard let (process, client) = running(device) else { continue }
            checkFeed(process)
            checkVerdicts(process)
            brokenParking(process).map { words in violated(.parking, words) }
            brokenByOperations(device, process).map { words in violated(.operations, words) }
            await checkNotices(client, process)
            await checkShownStatus(client, process)
            let footprint = await restingFootprint(of: client, process)
            // An idle probe may just have detected that the hub lost something.
            guard processes[process].mirror.isIdle else { continue }
            if !processes[process].mirror.hasParked, !footprint.isEmpty {
                violated(.footprint, "device \(device) is at rest, and its engine holds \(footprint)")
            }
            await checkPagesUnderWay(client, device)
        }
        // An idle probe may have detected a loss while the devices were checked: then there is work again.
        await rest()
        guard violation == nil else { return }
        await checkLists()
        guard violation == nil else { return }
        // So may a list that asked again.
        await rest()
        guard violation == nil else { return }
        for id in expected.created { brokenAtTheEnd(id, isLast).map { words in violated(.verdicts, words) } }
        if haveAllLooked { checkLosses(isLast) }
        // The fate of a message may have to be read from a disk that failed a moment ago.
        let deadline = runtime.now + latestTimer + .seconds(5)
        while !owedCompletions.isEmpty, runtime.now < deadline { await pass(.milliseconds(500)) }
        for message in owedCompletions {
            violated(.missingCompletion, "message \(expected.number(message)): its completion was never called")
        }
    }

    /// Messages whose completions were not called, in processes in which nothing is parked.
    private var owedCompletions: [MessageID] {
        completions.sorted { $0.key < $1.key }.map(\.value).filter { completion in
            completion.calls == 0 && isRunning(completion.process)
                && !processes[completion.process].mirror.hasParked
        }.compactMap(\.message)
    }

    /// Checks that each parked message waits for a message that is stored here and not on the hub.
    private func brokenParking(_ process: Int) -> String? {
        for message in processes[process].mirror.inOrder where message.isPending && message.isParked {
            let related = message.related.flatMap { processes[process].mirror.items[$0] }
            if related?.isUndelivered != true {
                return
                    "message \(expected.number(message.id)) (\(message.asOperation.payload.name)) is parked for "
                    + "message \(expected.number(message.related)), which is \(related?.told ?? "not here")"
            }
        }
        return nil
    }

    /// Checks that every verdict is true, and that deleted messages are gone.
    private func brokenAtTheEnd(_ id: MessageID, _ isLast: Bool) -> String? {
        guard let record = expected.records[id], !record.isExcused, let (process, _) = running(record.device),
            isHome(record, process)
        else { return nil }
        if isBehind(process), !haveAllLooked { return nil }
        guard let message = processes[process].mirror.items[id] else {
            // The device that deleted it on the hub will repeat that, and may not have detected the loss yet.
            if record.isGoneByPage, !isLast { return nil }
            return hub.holds(id) && record.item.createsMessage
                ? "message \(record.number) was deleted, and the hub has it" : nil
        }
        switch message.syncState {
        case .synced:
            tally.synced += 1
            // Another device of the account may have deleted it there; without events this one is not notified of that,
            // nor by events that left changes out, unless a list shows the message. Nor after a loss of data, when the
            // stored result of a repeat came later than the deletion.
            let mayMiss = !plan.hasEvents || hasLostData || devices[record.device].unlistedDeletions.contains(id)
            let isGone = mayMiss && record.isDeletionWanted && hub.accepted[id]?.isDeleted == true
            return hub.holds(id) || isGone ? nil : "message \(record.number) is synced, and the hub has it not"
        case .error:
            tally.failed += 1
            if message.isInDoubt { return "message \(record.number) stayed in doubt" }
            return hub.accepted[id] == nil ? nil : "message \(record.number) is failed, and the hub has it"
        case .created where message.isParked: return nil
        case .created, .uploading, .syncing: return "message \(record.number) is still \(message.told)"
        }
    }
}
