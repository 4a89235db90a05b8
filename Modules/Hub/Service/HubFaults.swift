internal import GRDB
internal import Synchronization

/// Faults for tests: what a hub does wrong on purpose. Handed in where a hub is constructed in process; nothing that
/// a released hub reads (network, flags, environment, files) can make one.
///
/// Faults are met in the order in which they were injected; each is used up after its `times`. Any thread.
package final class HubFaults: Sendable {
    package enum Fault: Sendable, Equatable {
        /// The request is not looked at and gets this answer, with the header `Retry-After` if given.
        case answer(status: Int, code: String, retryAfter: String? = nil)
        /// The request is not looked at and gets a page that is not the hub's, as from a captive portal.
        case foreignPage(status: Int)
        /// The connection is cut before anything is applied.
        case cutBefore
        /// The work is done and committed, then the connection is cut without an answer.
        case cutAfter
        /// Everything is right, but late.
        case delay(Duration)
        /// The message with this or a later sequence is answered `tryLater`.
        case tryLater(fromSequence: Int64, after: Duration? = nil)
    }

    /// A step of the storage that can fail as if the disk had.
    package enum StorageStep: Sendable, Equatable {
        /// Before anything of a transaction is done.
        case write
        /// When it is to be committed; it is rolled back.
        case commit
        /// When it is committed already.
        case sync
        /// When the file is opened anew.
        case reopen
    }

    /// Which requests meet a fault.
    package enum Scope: Sendable, Equatable { case deliveries, everything }

    private struct Entry {
        let fault: Fault
        let scope: Scope
        var times: Int?
    }

    private struct State {
        var entries: [Entry] = []
        var storage: [StorageStep] = []
        var deliveries = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter times: how many requests meet it; nil means for ever, until ``clear()``.
    package func inject(_ fault: Fault, on scope: Scope = .deliveries, times: Int? = nil) {
        state.withLock { $0.entries.append(Entry(fault: fault, scope: scope, times: times)) }
    }

    /// - Parameter times: how often the step fails.
    package func inject(_ step: StorageStep, times: Int = 1) {
        state.withLock { $0.storage += Array(repeating: step, count: times) }
    }

    /// Throws what SQLite throws when the disk fails.
    func meetStorage(_ step: StorageStep) throws {
        let fails = state.withLock { state in
            guard let index = state.storage.firstIndex(of: step) else { return false }
            state.storage.remove(at: index)
            return true
        }
        if fails { throw DatabaseError(resultCode: .SQLITE_IOERR, message: "a fault for a test") }
    }

    /// The hub does everything right from now on.
    package func clear() {
        state.withLock { state in
            state.entries = []
            state.storage = []
        }
    }

    /// Deliveries that reached the hub with a token that is right, faulty ones included.
    package var deliveriesSeen: Int { state.withLock { $0.deliveries } }

    /// The fault that the next request meets.
    func next(_ scope: Scope) -> Fault? {
        state.withLock { state in
            if scope == .deliveries { state.deliveries += 1 }
            guard let index = state.entries.firstIndex(where: { $0.scope == scope && $0.times != 0 }) else {
                return nil
            }
            if let times = state.entries[index].times { state.entries[index].times = times - 1 }
            return state.entries[index].fault
        }
    }
}
