internal import CausewaySystem
internal import Synchronization

/// Deliberate failures of a ``HubBlobFolder``, for tests. Passed in where a folder is opened in process; no input of a
/// released hub can create one. Safe on any thread.
package final class BlobFaults: Sendable {
    /// A step that can fail as if the disk had.
    package enum Step: Sendable, Equatable {
        /// Before bytes are written.
        case write
        /// Before bytes are synced.
        case sync
        /// After a part was renamed to a blob, before the change of the name is durable.
        case rename
    }

    package enum Failure: Sendable, Equatable { case broken, full }

    private let steps = Mutex<[(step: Step, failure: Failure)]>([])

    package init() {}

    /// Makes a step fail once.
    package func inject(_ step: Step, _ failure: Failure = .broken) {
        steps.withLock { $0.append((step, failure)) }
    }

    func inject(_ step: Step) throws(SystemError) {
        let failure = steps.withLock { steps in
            steps.firstIndex { $0.step == step }.map { steps.remove(at: $0).failure }
        }
        switch failure {
        case .broken: throw SystemError.broken
        case .full: throw SystemError.full
        case nil: break
        }
    }
}
