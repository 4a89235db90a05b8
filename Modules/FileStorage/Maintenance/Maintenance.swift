import CausewayStorage
import CausewaySystem
import Dispatch
import Synchronization

/// Writes snapshots and compacts the journal, beside the commits.
///
/// One work at a time; a requested one waits for the one under way. It waits for nothing that the writer holds: what
/// needs the journal is a call among the others, and everything else is a step for `perform`. A failure leaves the
/// store as it is, and is tried again when the journal has grown.
final class Maintenance: Sendable {
    /// Called with the part of a work that is done, from 0 to 1.
    typealias Progress = @Sendable (_ done: Double) -> Void
    private typealias Completion = @Sendable (Result<Void, StoreError>) -> Void

    private struct Requested {
        let work: MaintenancePolicy.Work
        let progress: Progress
        let completion: Completion
    }

    private struct State {
        var policy: MaintenancePolicy
        /// After the last commit.
        var sizes: JournalSizes?
        var isRunning = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
        /// Requested works that wait, in the order of their requests. ``isRunning`` stays true while there are any.
        var waiting: [Requested] = []
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
            state.sizes = sizes
            guard !state.isRunning, !state.isClosed, let work = state.policy.due(sizes) else { return nil }
            state.isRunning = true
            return work
        }
        if let work { run(Requested(work: work, progress: { _ in }, completion: { _ in })) }
    }

    private enum Request { case begins, waits, refused }

    /// Begins a work, due or not, when the one under way has ended, and waits for its end.
    ///
    /// - Parameter progress: called after each step of a compaction, one call after the other.
    func perform(
        _ work: MaintenancePolicy.Work, progress: @escaping Progress = { _ in }
    ) async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            let requested = Requested(work: work, progress: progress) { continuation.resume(returning: $0) }
            let request: Request = state.withLock { state in
                if state.isClosed { return .refused }
                if state.isRunning {
                    state.waiting.append(requested)
                    return .waits
                }
                state.isRunning = true
                return .begins
            }
            switch request {
            case .begins: run(requested)
            case .waits: break
            case .refused: requested.completion(.failure(.closed))
            }
        }
        try result.get()
    }

    /// Waits for the work under way to end; none begins afterwards.
    func close() async {
        await withCheckedContinuation { closer in
            let (isIdle, refused) = state.withLock { state in
                state.isClosed = true
                if state.isRunning { state.closers.append(closer) }
                defer { state.waiting = [] }
                return (!state.isRunning, state.waiting)
            }
            for waiting in refused { waiting.completion(.failure(.closed)) }
            if isIdle { closer.resume() }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run(_ requested: Requested) {
        let work = requested.work
        let end: Completion = { result in
            let (next, closers) = self.state.withLock { state in
                if case .failure(let error) = result {
                    state.lastFailure = error
                    if let sizes = state.sizes { state.policy.failed(sizes) }
                }
                if case .success = result, work == .compaction {
                    state.compactionsDone += 1
                    state.policy.compacted()
                }
                let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                state.isRunning = next != nil
                defer { state.closers = [] }
                return (next, state.closers)
            }
            requested.completion(result)
            for closer in closers { closer.resume() }
            if let next { self.run(next) }
        }
        switch work {
        case .snapshot: writeSnapshot(oldestFile: nil, end)
        case .compaction: compact(requested.progress, end)
        }
    }

    // MARK: Snapshots

    /// - Parameter oldestFile: the first journal file that is needed; `nil` if that has not changed.
    private func writeSnapshot(oldestFile: UInt32?, _ completion: @escaping Completion) {
        let captured = Mutex<Snapshot?>(nil)
        committer.submit(
            WriteRequest(exclusive: { journal throws(StoreError) in
                // A snapshot never knows more than the journal on the disk. The writer syncs it, beside no commit: the
                // system reports a write that failed only once, and only to one of them.
                try journal.writer.sync()
                let oldest = oldestFile ?? self.database.files.all.keys.min() ?? journal.writer.end.file
                let snapshot = self.database.snapshot(journal, oldestFile: oldest)
                journal.bytesSinceSnapshot = 0
                captured.withLock { $0 = snapshot }
            })
        ) { result in
            self.perform {
                guard case .success = result, let snapshot = captured.withLock({ $0.take() }) else {
                    return completion(result.map { _ in })
                }
                completion(self.write(snapshot))
            }
        }
    }

    private func write(_ snapshot: Snapshot) -> Result<Void, StoreError> {
        do throws(StoreError) {
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

    private func compact(_ progress: @escaping Progress, _ completion: @escaping Completion) {
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
            self.move(from: Compaction.Cursor(), floor.withLock { $0 }, progress, completion)
        }
    }

    private func move(
        from cursor: Compaction.Cursor, _ floor: UInt32, _ progress: @escaping Progress,
        _ completion: @escaping Completion
    ) {
        if isClosed { return completion(.failure(.closed)) }
        committer.submit(
            WriteRequest(bytes: FileLimits.compactionStepBytes, isSilent: true) { applier throws(StoreError) in
                let next = try Compaction.step(&applier.rows, from: cursor)
                if let next { progress(Compaction.done(at: next, in: applier.rows.index)) }
                return .step(next)
            }
        ) { result in
            switch result {
            case .success(.step(let next?)):
                self.perform { self.move(from: next, floor, progress, completion) }
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
