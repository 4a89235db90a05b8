import Synchronization

/// The pages that were found damaged, by file: the last one of each.
enum DamageLog {
    /// The files that are remembered.
    private static let filesMax = 64
    private static let found = Mutex<[String: PageDamage]>([:])

    static func note(_ damage: PageDamage, in path: String) {
        found.withLock { found in
            if found.count >= filesMax, found[path] == nil, let other = found.keys.first { found[other] = nil }
            found[path] = damage
        }
    }

    static func last(in path: String) -> PageDamage? { found.withLock { $0[path] } }

    static func forget(_ path: String) { found.withLock { $0[path] = nil } }
}
