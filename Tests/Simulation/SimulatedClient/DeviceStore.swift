import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage

/// The store of one process: a real one behind a disk that is at times slow, full or broken, and the point where the
/// process is cut off when it crashes.
///
/// Commits reach the disk in the order in which they were requested, each as a whole.
final class DeviceStore: Store {
    let world: World
    let process: Int
    private let disk: any DeviceDisk
    let inner: any Store

    init(world: World, process: Int, disk: any DeviceDisk, inner: any Store) {
        self.world = world
        self.process = process
        self.disk = disk
        self.inner = inner
    }

    var blobs: (any BlobStore)? {
        guard let blobs = disk.blobs else { return DeviceFiles() }
        return DeviceBlobs(world: world, process: process, inner: blobs)
    }

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try await world.reachDisk(process)
        var opening = opening
        let wanted = opening.restart
        if world.plan.plantedFault == .skipsSweep { opening.restart = .resume }
        var snapshot = try await inner.start(opening)
        if world.plan.plantedFault == .keepsEpoch { snapshot.keepEpoch() }
        if world.plan.plantedFault == .forgetsAttemptsAtStart {
            let waiting = snapshot.entries.filter { $0.kind == .send }
            try await inner.commit(waiting.map { .requeue($0.message, attempts: 0, at: opening.failure.at) })
            snapshot = try await inner.outbox()
        }
        world.hasStarted(process, wanted)
        try await world.returnFromDisk(process)
        return snapshot
    }

    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        try await world.reachDisk(process)
        guard world.processes[process].isWitnessed else { throw .closed }
        let cut = world.drawPowerCut(process)
        let message: Message
        do throws(StoreError) {
            message = try await inner.enqueue(draft)
        } catch {
            guard let cut else { throw error }
            world.end(process, with: world.diskAfter(cut, process))
            throw .closed
        }
        world.processes[process].confirmedDisk = nil
        world.processes[process].enqueued += 1
        world.hasCommitted(process)
        if let cut {
            world.end(process, with: world.diskAfter(cut, process))
            throw .closed
        }
        try await world.returnFromDisk(process)
        return message
    }

    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        try await world.reachDisk(process)
        // A copied process only completes the work it began: it has no user.
        guard world.processes[process].isWitnessed || mutations.allSatisfy({ $0.content == nil }) else { throw .closed }
        let kept = world.forgetDoubts(before: world.tampered(mutations, process), process)
        let ending = world.pendingAtTheEnd(of: kept, process)
        if world.lies(.acknowledgesBeforeCommit, oneIn: 5) {
            world.runtime.spawn { [world, process, inner] in
                await world.runtime.sleep(until: world.runtime.now + .milliseconds(20))
                guard world.processes[process].isWitnessed else { return }
                try? await inner.commit(kept, durability: durability)
                world.hasCommitted(process, kept)
            }
            return
        }
        if kept.count > 1, world.lies(.commitsByHalves, oneIn: 10) {
            try await inner.commit(Array(kept[..<(kept.count / 2)]))
            world.hasCommitted(process, kept)
            world.crash(process)
            throw .closed
        }
        if world.plan.plantedFault == .storesCursorFirst, kept.count > 1,
            case .setEventCursor(let cursor)? = kept.first(where: \.isEventCursor)
        {
            try await inner.commit([.setEventCursor(cursor)])
            world.hasCommitted(process)
            if world.lies(.storesCursorFirst, oneIn: 3) {
                world.crash(process)
                throw .closed
            }
        }
        world.noteDeletionsBesideACopy(kept, process)
        let visitor = world.visitor(in: kept, process)
        let history = disk.history
        let note = { [world, process] in
            world.hasFollowed(kept, from: history, process)
            world.noteUploads(in: mutations, process)
            if let ending {
                world.processes[process].logouts.append(ending)
                world.countUploads(of: process, as: \.logoutsInUploads)
            }
            if visitor { world.tally.visits += 1 }
        }
        if durability == .normal { keepConfirmedDisk() }
        let cut = world.drawPowerCut(process)
        do throws(StoreError) {
            try await inner.commit(kept, durability: durability)
        } catch {
            world.noteRejection(process)
            guard let cut else { throw error }
            let after = world.diskAfter(cut, process, kept)
            if after?.hasCommit == true { note() }
            world.end(process, with: after)
            throw .closed
        }
        if durability == .normal {
            world.tally.unconfirmed += 1
        } else {
            world.processes[process].confirmedDisk = nil
        }
        note()
        world.hasCommitted(process, kept)
        if let cut {
            world.end(process, with: world.diskAfter(cut, process))
            throw .closed
        }
        if durability == .normal, world.strikes(.powerLost) { world.losePower(process) }
        try await world.returnFromDisk(process)
    }

    /// Keeps what a disk would have confirmed of a store in memory. Taken only where it is needed: the next commit
    /// copies what it shares with it.
    private func keepConfirmedDisk() {
        guard disk is MemoryStore, world.processes[process].confirmedDisk == nil else { return }
        world.processes[process].confirmedDisk = disk.afterCrash()
    }

    func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try await world.reachForReading(process)
        let message = try await inner.message(id)
        try await world.returnFromDisk(process)
        return message
    }

    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try await world.reachForReading(process)
        let messages = try await inner.messages(ids)
        try await world.returnFromDisk(process)
        return messages
    }

    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await world.reachForReading(process)
        let operation = try await inner.operation(id)
        try await world.returnFromDisk(process)
        return operation
    }

    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await world.reachForReading(process)
        let operations = try await inner.operations(ids)
        try await world.returnFromDisk(process)
        return operations
    }

    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await world.reachForReading(process)
        let page = try await inner.operations(query)
        try await world.returnFromDisk(process)
        return page
    }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await world.reachForReading(process)
        let dependants = try await inner.dependants(of: id)
        try await world.returnFromDisk(process)
        return dependants
    }

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await world.reachForReading(process)
        var page = try await inner.page(query)
        if case .channel(let channel) = query.scope, world.lies(.showsAnothers, oneIn: 2) {
            page.messages += world.anothers(in: channel, process)
        }
        try await world.returnFromDisk(process)
        return page
    }

    func counts() async throws(StoreError) -> StoreCounts {
        try await world.reachForReading(process)
        let counts = try await inner.counts()
        try await world.returnFromDisk(process)
        return counts
    }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await world.reachForReading(process)
        return try await inner.deleteActions(before: before, limit: limit)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await world.reachForReading(process)
        return try await inner.record(kind, id)
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await world.reachForReading(process)
        return try await inner.records(query)
    }

    func session() async throws(StoreError) -> Session? {
        try await world.reachForReading(process)
        return try await inner.session()
    }

    func outbox() async throws(StoreError) -> OutboxSnapshot {
        try await world.reachForReading(process)
        var snapshot = try await inner.outbox()
        if world.plan.plantedFault == .keepsEpoch { snapshot.keepEpoch() }
        if world.plan.plantedFault == .hidesQuestions { snapshot.entries.removeAll { $0.kind != .send } }
        try await world.returnFromDisk(process)
        return snapshot
    }

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        inner.subscribe { [world] commit in
            if world.lies(.engineMissesCommits, oneIn: 20), !commit.isReset { return }
            world.passOn(world.blurred(commit), to: subscriber)
        }
    }

    func close() async { await inner.close() }
}

extension Mutation {
    fileprivate var isEventCursor: Bool {
        if case .setEventCursor = self { true } else { false }
    }
}

extension OutboxSnapshot {
    /// Keeps the epoch at 1, as if the store had been opened only once.
    fileprivate mutating func keepEpoch() {
        epoch = 1
        lineage.opening = OpeningID(outboxID.value)
        lineage.ancestors = []
    }
}
