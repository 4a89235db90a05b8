import CausewayStorage
import CausewaySystem
import Dispatch
import Synchronization

/// Writes snapshots and compacts the journal, beside the commits.
///
/// One work at a time. It waits for nothing that the writer holds: what needs the journal is a call among the others,
/// and everything else is a step for `perform`. A failure leaves the store as it is, and is tried again when the
/// journal has grown.
final class Maintenance: Sendable {
    private struct State {
        var policy: MaintenancePolicy
        var isRunning = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
        /// The error of the last work that failed.
        var lastFailure: StoreError?
        var snapshotsWritten = 0
        var compactionsDone = 0
    }

    private let state: Mutex<State>
    private let perform: @Sendable (_ step: @escaping @Sendable () -> Void) -> Void
    private let disk: any Disk
    private let database: FileDatabase
    private let committer: GroupCommitter

    /// - Parameter perform: performs steps one after the other; `nil` for a queue.
    init(
        _ disk: any Disk, _ database: FileDatabase, _ committer: GroupCommitter, _ policy: MaintenancePolicy,
        perform: (@Sendable (_ step: @escaping @Sendable () -> Void) -> Void)?
    ) {
        let queue = DispatchQueue(label: "causeway.file-store.maintenance", qos: .utility)
        self.perform = perform ?? { step in queue.async(execute: step) }
        self.disk = disk
        self.database = database
        self.committer = committer
        state = Mutex(State(policy: policy))
    }

    /// The numbers of works that have ended well, and the error of the last one that did not.
    var report: (snapshots: Int, compactions: Int, failure: StoreError?) {
        state.withLock { ($0.snapshotsWritten, $0.compactionsDone, $0.lastFailure) }
    }

    private var names: StoreFiles { database.files.names }

    /// Begins what is due. Called by the writer after each commit; returns at once.
    func consider(_ sizes: JournalSizes) {
        let work: MaintenancePolicy.Work? = state.withLock { state in
            guard !state.isRunning, !state.isClosed, let work = state.policy.due(sizes) else { return nil }
            state.isRunning = true
            return work
        }
        if let work { begin(work, sizes) }
    }

    /// Begins a work, due or not, and waits for its end.
    func perform(_ work: MaintenancePolicy.Work) async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isRunning || state.isClosed { return false }
                state.isRunning = true
                return true
            }
            guard isFree else {
                return continuation.resume(returning: .failure(.other(detail: "the store is being maintained")))
            }
            run(work) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Waits for the work under way to end; none begins afterwards.
    func close() async {
        await withCheckedContinuation { closer in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.isRunning { state.closers.append(closer) }
                return !state.isRunning
            }
            if isIdle { closer.resume() }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func begin(_ work: MaintenancePolicy.Work, _ sizes: JournalSizes) {
        run(work) { result in
            if case .failure = result { self.state.withLock { $0.policy.failed(sizes) } }
        }
    }

    private typealias Completion = @Sendable (Result<Void, StoreError>) -> Void

    private func run(_ work: MaintenancePolicy.Work, _ completion: @escaping Completion) {
        let end: Completion = { result in
            let closers = self.state.withLock { state in
                state.isRunning = false
                if case .failure(let error) = result { state.lastFailure = error }
                if case .success = result, work == .compaction { state.compactionsDone += 1 }
                defer { state.closers = [] }
                return state.closers
            }
            completion(result)
            for closer in closers { closer.resume() }
        }
        switch work {
        case .snapshot: writeSnapshot(oldestFile: nil, end)
        case .compaction: compact(end)
        }
    }

    // MARK: Snapshots

    /// - Parameter oldestFile: the first journal file that is needed; `nil` if that has not changed.
    private func writeSnapshot(oldestFile: UInt32?, _ completion: @escaping Completion) {
        let captured = Mutex<(Snapshot, (any DiskFile)?)?>(nil)
        committer.submit(
            WriteRequest(exclusive: { journal throws(StoreError) in
                let oldest = oldestFile ?? self.database.files.all.keys.min() ?? journal.writer.end.file
                let snapshot = self.database.snapshot(journal, oldestFile: oldest)
                journal.bytesSinceSnapshot = 0
                captured.withLock { $0 = (snapshot, self.database.files[snapshot.position.file]) }
            })
        ) { result in
            self.perform {
                guard case .success = result, let (snapshot, file) = captured.withLock({ $0.take() }) else {
                    return completion(result.map { _ in })
                }
                completion(self.write(snapshot, file))
            }
        }
    }

    private func write(_ snapshot: Snapshot, _ file: (any DiskFile)?) -> Result<Void, StoreError> {
        do throws(StoreError) {
            do throws(SystemError) {
                // A snapshot never knows more than the journal on the disk.
                try file?.sync()
            } catch {
                committer.submit(WriteRequest(exclusive: { $0.writer.requireRepair() })) { _ in }
                throw names.syncFailure(error, at: StoreFiles.journal(snapshot.position.file))
            }
            guard let size = try SnapshotWriter.write(snapshot, disk, names, isCancelled: { self.isClosed }) else {
                return .failure(.closed)
            }
            state.withLock { state in
                state.policy.snapshotBytes = size
                state.snapshotsWritten += 1
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    // MARK: Compaction

    private func compact(_ completion: @escaping Completion) {
        let floor = Mutex<UInt32>(0)
        committer.submit(
            WriteRequest(exclusive: { journal throws(StoreError) in
                try journal.beginFile()
                let oldest = journal.writer.end.file
                journal.oldestKept = oldest
                floor.withLock { $0 = oldest }
            })
        ) { result in
            guard case .success = result else { return completion(result.map { _ in }) }
            self.move(from: Compaction.Cursor(), floor.withLock { $0 }, completion)
        }
    }

    private func move(from cursor: Compaction.Cursor, _ floor: UInt32, _ completion: @escaping Completion) {
        if isClosed { return completion(.failure(.closed)) }
        committer.submit(
            WriteRequest(bytes: FileLimits.compactionStepBytes, isSilent: true) { applier throws(StoreError) in
                .step(try Compaction.step(&applier.rows, from: cursor))
            }
        ) { result in
            switch result {
            case .success(.step(let next?)): self.perform { self.move(from: next, floor, completion) }
            case .success:
                self.writeSnapshot(oldestFile: floor) { self.removeFiles(before: floor, after: $0, completion) }
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func removeFiles(
        before floor: UInt32, after snapshot: Result<Void, StoreError>, _ completion: @escaping Completion
    ) {
        guard case .success = snapshot else { return completion(snapshot) }
        // The snapshot is durable and names the first file that it needs: what cannot be removed now is removed when
        // the store is opened.
        for number in database.files.all.keys.sorted() where number < floor {
            database.files[number] = nil
            try? disk.remove(StoreFiles.journal(number))
        }
        committer.submit(
            WriteRequest(exclusive: { $0.formerBytes = self.bytes(from: floor, before: $0.writer.end.file) })
        ) { _ in
            completion(.success(()))
        }
    }

    private func bytes(from floor: UInt32, before last: UInt32) -> Int64 {
        database.files.all.reduce(0) { sum, file in
            guard file.key >= floor, file.key < last else { return sum }
            return sum + ((try? file.value.size()) ?? 0)
        }
    }
}
