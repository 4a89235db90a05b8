package import Foundation
import Synchronization

/// One start at a time: what a start reads of this process (its open files, its environment) must not change meanwhile
/// by another start.
private let starting = Mutex(())

extension Process {
    /// Starts the process as `run()` does, but never beside another start of these tests.
    package func runAlone() throws {
        try starting.withLock { _ in try run() }
    }
}
