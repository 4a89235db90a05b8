import CausewayStorage
import Dispatch
import Foundation
import Synchronization

/// Commits waiting calls together, in the order of arrival.
///
/// `waiting` holds the calls that have arrived. A caller that finds no active writer becomes the writer: it commits the
/// first group on its own thread, and leaves calls that arrived meanwhile to `queue`. So at most one thread of the
/// shared pool waits for the disk. `isDraining` is true while there is a writer; only the writer calls
/// ``FileDatabase/commit(_:more:)``.
///
/// Calls that arrive while a group is computed join it, up to the limits of a group: the callers of the group before
/// come back one after the other, and would otherwise be divided over two syncs.
final class GroupCommitter: Sendable {
    typealias Completion = @Sendable (Result<WriteRequest.Value, StoreError>) -> Void
    private typealias Call = (request: WriteRequest, completion: Completion)

    private struct Waiting {
        var requests: [Call] = []
        var closers: [CheckedContinuation<Void, Never>] = []
        var isDraining = false
        var isClosed = false
        /// The number of calls that the next group waits for; only tests set it above 1.
        var requestsToGather = 1

        /// True if there is a group to commit.
        var hasGroup: Bool { !requests.isEmpty && (isClosed || requests.count >= requestsToGather) }

        /// Returns true to the one caller that becomes the writer.
        mutating func becomeWriter() -> Bool {
            if isDraining || !hasGroup { return false }
            isDraining = true
            return true
        }
    }

    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "causeway.file-store", qos: .userInitiated)
    private let database: FileDatabase
    private let mayBlock: Bool
    private let commitsInPlace: Bool

    /// - Parameter mayBlock: false if the disk is in memory: no commit leaves its caller's thread then, and none waits
    ///   for another one.
    init(_ database: FileDatabase, mayBlock: Bool) {
        self.database = database
        self.mayBlock = mayBlock
        // On a single processor the pool has a single thread: a commit on it would keep groups from gathering.
        commitsInPlace = !mayBlock || ProcessInfo.processInfo.activeProcessorCount > 1
    }

    /// Adds a call and waits for its commit. Cancelling the waiter does not cancel the call.
    ///
    func submit(_ request: WriteRequest) async throws(StoreError) -> WriteRequest.Value {
        if mayBlock { return try await submitElsewhere(request) }
        return try await submitHere(request)
    }

    /// Leaves the caller's actor, because waiting for the disk must not block the main thread.
    @concurrent
    private func submitElsewhere(_ request: WriteRequest) async throws(StoreError) -> WriteRequest.Value {
        try await submitHere(request)
    }

    private func submitHere(_ request: WriteRequest) async throws(StoreError) -> WriteRequest.Value {
        let result = await withCheckedContinuation { continuation in
            let isFirst = add(request) { continuation.resume(returning: $0) }
            if isFirst, commitsInPlace { commitFirstGroup() } else if isFirst { drainOnQueue() }
        }
        return try result.get()
    }

    /// Commits what is waiting, on a thread of the committer if that may block.
    private func drainOnQueue() {
        if mayBlock { queue.async { self.drain() } } else { drain() }
    }

    /// Adds a call; `completion` is called by the writer.
    func submit(_ request: WriteRequest, completion: @escaping Completion) {
        if add(request, completion) { drainOnQueue() }
    }

    /// Returns true to the caller that becomes the writer.
    private func add(_ request: WriteRequest, _ completion: @escaping Completion) -> Bool {
        let isFirst: Bool? = waiting.withLock { waiting in
            if waiting.isClosed { return nil }
            waiting.requests.append((request, completion))
            return waiting.becomeWriter()
        }
        if isFirst == nil { completion(.failure(.closed)) }
        return isFirst ?? false
    }

    /// For tests: delays commits until `requests` calls are waiting, or the store is closed.
    func gather(_ requests: Int) { waiting.withLock { $0.requestsToGather = requests } }

    /// Commits the waiting calls; all later calls fail.
    @concurrent
    func close() async {
        await withCheckedContinuation { closer in
            let isFirst = waiting.withLock { waiting in
                waiting.isClosed = true
                waiting.closers.append(closer)
                defer { waiting.isDraining = true }
                return !waiting.isDraining
            }
            if isFirst, commitsInPlace { drain() } else if isFirst { drainOnQueue() }
        }
    }

    private func commitFirstGroup() {
        commitGroup(takeCalls(beside: []))
        let isMore = waiting.withLock { waiting in
            waiting.isDraining = waiting.hasGroup || !waiting.closers.isEmpty
            return waiting.isDraining
        }
        if isMore { drainOnQueue() }
    }

    /// Commits group after group until no call is waiting.
    private func drain() {
        while true {
            let group = takeCalls(beside: [])
            if !group.isEmpty {
                commitGroup(group)
                continue
            }
            let closers: [CheckedContinuation<Void, Never>]? = waiting.withLock { waiting in
                if waiting.hasGroup { return nil }
                waiting.isDraining = false
                defer { waiting.closers = [] }
                return waiting.closers
            }
            guard let closers else { continue }
            for closer in closers { closer.resume() }
            return
        }
    }

    /// The next calls of a transaction; a call that must be alone is a transaction of its own.
    ///
    /// - Parameter group: the calls that it has already.
    private func takeCalls(beside group: [Call]) -> [Call] {
        waiting.withLock { waiting in
            guard waiting.hasGroup else { return [] }
            waiting.requestsToGather = 1
            var count = 0
            var bytes = group.reduce(0) { $0 + $1.request.bytes }
            for (request, _) in waiting.requests.prefix(FileLimits.groupRequestsMax - group.count) {
                bytes += request.bytes
                if group.count + count > 0, bytes > FileLimits.groupBytesMax || request.isExclusive { break }
                count += 1
                if request.isExclusive { break }
            }
            let calls = Array(waiting.requests.prefix(count))
            waiting.requests.removeFirst(count)
            return calls
        }
    }

    private func commitGroup(_ calls: [Call]) {
        var group = calls
        do throws(StoreError) {
            let results = try database.commit(calls.map(\.request)) {
                let late = takeCalls(beside: group)
                group += late
                return late.map(\.request)
            }
            for (call, result) in zip(group, results) { call.completion(result) }
        } catch {
            for call in group { call.completion(.failure(error)) }
        }
    }
}
