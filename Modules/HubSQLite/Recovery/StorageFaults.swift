internal import Dispatch
internal import GRDB
internal import Synchronization

/// Deliberate failures and delays of the storage, for tests. Passed in where a storage is created in process; no input
/// of a released hub can create one. Safe on any thread.
package final class StorageFaults: Sendable {
    /// A step that can fail as if the disk had.
    package enum Step: Sendable, Equatable {
        /// Before anything of a transaction is done.
        case write
        /// At the commit, which is rolled back.
        case commit
        /// After the commit.
        case sync
        /// When the file is reopened.
        case reopen
    }

    private let steps = Mutex<[Step]>([])
    private let hold = Mutex(Hold.none)
    private let isReleased = DispatchSemaphore(value: 0)

    /// Of one delivery.
    private enum Hold {
        case none, planned, underWay
    }

    package init() {}

    /// - Parameter times: how often the step fails.
    package func inject(_ step: Step, times: Int = 1) {
        steps.withLock { $0 += Array(repeating: step, count: times) }
    }

    /// Makes the next delivery wait in its transaction, as if the disk did not respond, until it is released.
    package func holdNextDelivery() { hold.withLock { $0 = .planned } }

    /// Whether a delivery waits.
    package var isHoldingDelivery: Bool { hold.withLock { $0 == .underWay } }

    /// Lets the delivery that waits continue.
    package func releaseDelivery() { isReleased.signal() }

    /// Waits if this is a delivery that is to wait.
    func passDelivery() {
        let waits = hold.withLock { hold in
            guard hold == .planned else { return false }
            hold = .underWay
            return true
        }
        guard waits else { return }
        isReleased.wait()
        hold.withLock { $0 = .none }
    }

    /// Removes all faults.
    package func clear() { steps.withLock { $0 = [] } }

    /// Throws the error that SQLite throws when the disk fails.
    func inject(_ step: Step) throws {
        let fails = steps.withLock { steps in
            guard let index = steps.firstIndex(of: step) else { return false }
            steps.remove(at: index)
            return true
        }
        if fails { throw DatabaseError(resultCode: .SQLITE_IOERR, message: "a fault for a test") }
    }
}
