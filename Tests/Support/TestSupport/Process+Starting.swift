package import Foundation
import Synchronization

/// Serializes starts: the properties of this process that a start reads (its open files, its environment) must not be
/// changed meanwhile by another start.
private let starting = Mutex(())

extension Process {
    /// Starts the process like `run()`, but never concurrently with another start of these tests.
    package func runAlone() throws {
        try starting.withLock { _ in try run() }
    }
}
