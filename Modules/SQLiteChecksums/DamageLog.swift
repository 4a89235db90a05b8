import Synchronization

/// The pages that were found damaged: the last one of each file, for the files that were found damaged most recently.
package struct DamageLog: Sendable {
    /// The files that are remembered.
    package static let filesMax = 64

    /// The most recent one at the end.
    private var found: [(path: String, damage: PageDamage)] = []

    package init() {}

    /// Remembers a damage; beyond ``filesMax`` the file that was found damaged longest ago is forgotten.
    package mutating func note(_ damage: PageDamage, in path: String) {
        forget(path)
        if found.count >= Self.filesMax { found.removeFirst() }
        found.append((path, damage))
    }

    package func last(in path: String) -> PageDamage? { found.last { $0.path == path }?.damage }

    package mutating func forget(_ path: String) { found.removeAll { $0.path == path } }
}

extension DamageLog {
    /// Of all connections of this process.
    static let ofProcess = Mutex(DamageLog())
}
