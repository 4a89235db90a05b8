package import CausewayModels
import Synchronization

/// Distributes the frames of one window: one slot for each reader, however many frames it has missed.
///
/// Ownership: only the router publishes frames; each reader takes from its own slot. The lock guards everything and is
/// held for as long as merging a change takes, never while a caller's code runs.
package final class SnapshotBroadcaster<Query: LiveQuery>: LiveSource {
    package typealias Record = Query.Record
    typealias Touched = ChangedRows<Record.ID, Query.Key>

    /// The changes that one reader has not taken yet.
    private struct Slot {
        var seen: LiveFrame<Query>
        var touched = Touched()
        /// True if there is a change to take.
        var hasNews = false
        var waiter: CheckedContinuation<Void, Never>?
        /// Called when nothing more will be published.
        var ending: Ending?

        mutating func merge(_ later: Touched, _ frame: LiveFrame<Query>) {
            hasNews = true
            // Beyond the size of both states it is cheaper to compare them.
            let size = max(seen.rows.count, frame.rows.count) + 64
            touched.append(later, limit: min(LiveLimits.pendingRecordsMax, size))
        }
    }

    private struct Ending {
        let call: @Sendable () -> Void
    }

    private struct State {
        var latest: LiveFrame<Query>
        var slots: [Int: Slot] = [:]
        var nextReader = 0
        /// True once the last frame has been published; readers may still take it.
        var isEnding = false
        var isFinished = false
    }

    private let state: Mutex<State>
    private let nothing: LiveFrame<Query>

    init(_ query: Query) {
        nothing = LiveFrame(rows: OrderStatisticTree(isDescending: query.direction == .descending))
        state = Mutex(State(latest: nothing))
    }

    // MARK: The router

    /// Publishes a frame and the changes since the one before.
    func publish(_ frame: LiveFrame<Query>, _ touched: Touched) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if state.isFinished || state.isEnding { return [] }
            state.latest = frame
            var waiters: [CheckedContinuation<Void, Never>] = []
            for reader in state.slots.keys {
                state.slots[reader]?.merge(touched, frame)
                if let waiter = state.slots[reader]?.waiter.take() { waiters.append(waiter) }
            }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Publishes the last frame, whose rows are those of the one before.
    func end(_ frame: LiveFrame<Query>) {
        publish(frame, Touched())
        state.withLock { $0.isEnding = true }
        // Readers that began to wait in between are woken, too.
        wakeAll()
    }

    /// Tells every reader of the end.
    private func wakeAll() {
        let (waiters, endings) = state.withLock { state in
            let slots = state.slots.keys
            return (
                slots.compactMap { state.slots[$0]?.waiter.take() }, slots.compactMap { state.slots[$0]?.ending }
            )
        }
        for waiter in waiters { waiter.resume() }
        for ending in endings { ending.call() }
    }

    // MARK: Readers

    package func addReader() -> Int {
        state.withLock { state in
            state.nextReader += 1
            var slot = Slot(seen: nothing)
            if state.latest.status.isOpen {
                slot.touched.overflow()
                slot.hasNews = true
            }
            state.slots[state.nextReader] = slot
            return state.nextReader
        }
    }

    package func removeReader(_ reader: Int) {
        let waiter = state.withLock { $0.slots.removeValue(forKey: reader)?.waiter }
        waiter?.resume()
    }

    package func whenOver(_ reader: Int, _ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.slots[reader]?.ending = Ending(call: body)
            return state.isFinished || state.isEnding
        }
        if isOver { body() }
    }

    package func finish() {
        state.withLock { $0.isFinished = true }
        wakeAll()
    }

    package func hasNews(_ reader: Int) -> Bool { state.withLock { $0.slots[reader]?.hasNews ?? false } }

    package var isFinished: Bool { state.withLock { $0.isFinished } }
    package var isOver: Bool { state.withLock { $0.isFinished || $0.isEnding } }

    package func dequeue(_ reader: Int) -> PendingChange<Record>? {
        let pending = state.withLock { state -> (old: LiveFrame<Query>, new: LiveFrame<Query>, touched: Touched)? in
            guard !state.isFinished, let slot = state.slots[reader], slot.hasNews else { return nil }
            state.slots[reader]?.seen = state.latest
            state.slots[reader]?.touched = Touched()
            state.slots[reader]?.hasNews = false
            return (slot.seen, state.latest, slot.touched)
        }
        return pending.map { pending in
            PendingChange { Self.change(from: pending.old, to: pending.new, pending.touched) }
        }
    }

    /// Returns when there is a change to take, when the reader was removed or the outlet finished, and when the task is
    /// cancelled.
    package func waitForNews(_ reader: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isFinished, !state.isEnding, !Task.isCancelled, let slot = state.slots[reader],
                        !slot.hasNews
                    else { return true }
                    state.slots[reader]?.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.slots[reader]?.waiter.take() }
            waiter?.resume()
        }
    }

    private static func change(
        from old: LiveFrame<Query>, to new: LiveFrame<Query>, _ touched: Touched
    ) -> LiveCollectionChange<Record> {
        LiveCollectionChange(
            version: new.version, oldSnapshot: LiveSnapshot(old.rows), snapshot: LiveSnapshot(new.rows),
            indices: IndexChange(from: old.rows, to: new.rows, touched: touched), oldStatus: old.status,
            status: new.status)
    }
}

/// The interface of an outlet for readers: everything except the keys.
package protocol LiveSource<Record>: AnyObject, Sendable {
    associatedtype Record: LiveRecord

    /// Adds a reader with a slot of its own. Its first change contains everything.
    func addReader() -> Int
    func removeReader(_ reader: Int)
    /// All changes that the reader has not seen, merged into one; `nil` if there are none.
    func dequeue(_ reader: Int) -> PendingChange<Record>?
    func waitForNews(_ reader: Int) async
    /// True if there is a change to take.
    func hasNews(_ reader: Int) -> Bool
    /// Calls `body` on any thread when ``isOver`` has become true, at once if it is, and when ``isFinished`` has.
    ///
    /// The call comes under the lock that makes frames atomic: `body` runs no caller's code, and releases nothing.
    func whenOver(_ reader: Int, _ body: @escaping @Sendable () -> Void)
    /// Ends all delivery; no reader gets another change.
    func finish()
    var isFinished: Bool { get }
    /// True if nothing will be published beyond the changes not taken yet.
    var isOver: Bool { get }
}

/// A change taken from a slot. The indices are computed on demand: that is the reader's work, done under no lock.
package struct PendingChange<Record: LiveRecord>: Sendable {
    private let compare: @Sendable () -> LiveCollectionChange<Record>

    init(_ compare: @escaping @Sendable () -> LiveCollectionChange<Record>) { self.compare = compare }

    package func change() -> LiveCollectionChange<Record> { compare() }
}
