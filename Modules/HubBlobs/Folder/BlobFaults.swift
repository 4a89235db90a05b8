internal import CausewaySystem
internal import Synchronization

/// Deliberate failures of a ``HubBlobFolder``, for tests. Passed in where a folder is opened in process; no input of a
/// released hub can create one. Safe on any thread.
package final class BlobFaults: Sendable {
    /// A step that can fail as if the disk had.
    package enum Step: Sendable, Equatable {
        /// Before the file of a part is created.
        case create
        /// Before bytes are written.
        case write
        /// Before bytes are synced.
        case sync
        /// Before the folder of a blob is synced into its parent.
        case folder
        /// Before a blob of a name is looked for.
        case look
        /// Before a file gets a second name: it gets none, as on a file system without such names.
        case link
        /// After a file has the name of a blob, before the name is durable.
        case name
        /// Before a part or a blob is removed.
        case remove
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
