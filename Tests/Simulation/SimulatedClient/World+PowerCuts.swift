import CausewayFileStorage
import CausewayModels
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage
import CausewayStoreTorture

/// The disks under file stores: their failures, and cuts of the power during a commit.
///
/// A commit that was acknowledged must survive every cut. One that was cut off is found whole or not at all; if the
/// disk has it, the world learns of it as if the feed had reported it, although its caller never gets a result.
extension World {
    /// A commit during which the power fails.
    struct PowerCut {
        /// The last frame of the journal before it.
        fileprivate let lastFrame: UInt64
    }

    /// The disk as it is after a cut.
    struct CutDisk {
        fileprivate let disk: FileDisk
        /// True if it has the whole commit that was cut off.
        let hasCommit: Bool
    }

    static func makeDisk(_ plan: Plan, _ runtime: SimulatedRuntime) -> any DeviceDisk {
        let files = plan.hasFiles ? MemoryBlobStore(find: SampleFile.find) : nil
        guard plan.hasDisk else { return MemoryStore(blobs: files) }
        var ignored: Set<FaultyDisk.Call> = []
        if plan.plantedFault == .acknowledgesBeforeSync { ignored = [.sync] }
        if plan.plantedFault == .syncsNoNames { ignored = [.syncNames] }
        let delay = plan.maintenanceDelay
        let options = FileOptions(
            snapshotJournalBytes: plan.snapshotBytes, compactionBytesMin: plan.compactionBytes,
            journalBytesMax: plan.journalBytes,
            // So few zeros ahead that they are written often.
            journalBytesAhead: Int(min(max(512, plan.journalBytes / 8), 4_096)), newStore: plan.seed | 1,
            perform: { [runtime] work in runtime.schedule(at: runtime.now + delay, work) })
        return FileDisk(
            FaultyDisk(ignoring: ignored), options, files: files,
            cutsTooMuch: plan.plantedFault == .cutsTailsPredecessor)
    }

    /// Counts what the opening of a file store found.
    func noteOpening(of disk: any DeviceDisk) {
        guard let files = disk as? FileDisk else { return }
        tally.filesOpened += 1
        if files.hadTornTail { tally.tornTails += 1 }
    }

    /// Counts the maintenance of a file store whose process ends.
    func noteMaintenance(of disk: any DeviceDisk) {
        guard let files = disk as? FileDisk else { return }
        tally.snapshots += files.maintained.snapshots
        tally.compactions += files.maintained.compactions
    }

    /// Lets the next calls to the disk of a process fail.
    func failDisk(_ process: Int) {
        guard let files = processes[process].disk as? FileDisk else { return }
        if strikes(.writeFails) {
            let kinds = FaultyDisk.Fault.Kind.allCases
            files.disk.failNext(1, .write, kinds[Int.random(in: 0..<kinds.count, using: &diskDice)])
        }
        if strikes(.syncFails) {
            files.disk.failNext(Int.random(in: 1...3, using: &diskDice), .sync)
        }
    }

    /// Draws whether the power fails during the next commit of a process, and after how many calls to its disk.
    func drawPowerCut(_ process: Int) -> PowerCut? {
        guard let files = processes[process].disk as? FileDisk, processes[process].isWitnessed, strikes(.powerCut)
        else { return nil }
        // A commit is a write and a sync; a new file of the journal, or the end of a repair, may come before.
        files.disk.failPower(after: [0, 1, 1, 1, 2, 3, 5, 8][Int.random(in: 0..<8, using: &diskDice)])
        return PowerCut(lastFrame: files.lastFrame)
    }

    /// The disk of a process after the cut; learns what the commit that was cut off has changed.
    ///
    /// - Parameter mutations: of that commit.
    func diskAfter(_ cut: PowerCut, _ process: Int, _ mutations: [Mutation] = []) -> CutDisk? {
        guard let disk = diskAfterPowerFailure(process) as? FileDisk else { return nil }
        let hasCommit = disk.lastFrame > cut.lastFrame
        if hasCommit { learn(from: disk, process, mutations) }
        return CutDisk(disk: disk, hasCommit: hasCommit)
    }

    /// The disk of a process as a loss of power leaves it now; `nil` if its disk does not know what it has confirmed.
    func diskAfterPowerFailure(_ process: Int) -> (any DeviceDisk)? {
        let share = Int.random(in: 0...4, using: &diskDice)
        return processes[process].disk.afterPowerFailure { Int.random(in: 0..<4, using: &diskDice) < share }
    }

    /// Ends a process whose power was cut.
    func end(_ process: Int, with cut: CutDisk?) {
        guard let cut, processes[process].isWitnessed else { return }
        tell(.crashes, processes[process].device, process) {
            "device \(processes[process].device): its power is cut, "
                + (cut.hasCommit ? "and the commit is on the disk" : "and the commit is lost")
        }
        noteCutOff(process)
        leave(process, cut.disk)
    }

    private func learn(from disk: FileDisk, _ process: Int, _ mutations: [Mutation]) {
        let device = processes[process].device
        if let session = disk.session { devices[device].session = session }
        // A commit that concerns everything is not reported message by message.
        guard !mutations.contains(where: \.isReset), disk.account == processes[process].disk.account else { return }
        for case .recordDelete(let action) in mutations {
            guard let user = devices[device].session?.user else { continue }
            devices[device].deletedHere[user, default: []].insert(action.message)
        }
        let contents = disk.contents
        let former = processes[process].mirror
        processes[process].mirror.take(contents)
        for item in former.inOrder where processes[process].mirror.items[item.id] == nil {
            if item.syncState == .synced, !mutations.contains(where: { $0.deleted == item.id }) {
                notePageRemoval(item, process)
            } else {
                note(item, nil, process, isReset: false)
            }
        }
        for item in contents.items where former.items[item.id] != item {
            note(former.items[item.id], item, process, isReset: false)
        }
    }
}

extension Mutation {
    /// True for a mutation that the feed reports as a reset.
    fileprivate var isReset: Bool {
        switch self {
        case .endSession, .eraseAccount, .forkOutbox, .followHistory: true
        default: false
        }
    }

    /// The message whose deletion is recorded.
    fileprivate var deleted: MessageID? {
        if case .recordDelete(let action) = self { action.message } else { nil }
    }
}
