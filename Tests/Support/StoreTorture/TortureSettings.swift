import Foundation

/// The length of the torture tests, from the environment; see `Tools/torture-disk`. Without it they are samples.
package enum TortureSettings {
    /// True for the whole tests.
    package static let isComplete = ProcessInfo.processInfo.environment["POWER_FAILURES"] != nil

    package static func number(_ name: String, _ sample: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? sample
    }
}
