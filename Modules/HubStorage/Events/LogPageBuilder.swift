internal import CausewayHubRules

/// Collects the entries of a page of the log in the order of their positions, each record once in each topic; free of
/// I/O. Both storages build their pages with it.
///
/// `Key` identifies a record in a topic.
package struct LogPageBuilder<Key: Hashable & Sendable>: Sendable {
    private struct Found: Sendable {
        var entry: LogPage.Entry
        var position: Int64
    }

    private let limit: PageLimit
    private let scannedMax: Int
    private var found: [Key: Found] = [:]
    private var scanned = 0
    private var contentBytes = 0
    /// The position up to which all entries have been added.
    private var reached: Int64
    /// True when an entry had no room: the page ends before it.
    package private(set) var isFull = false

    package init(after position: Int64, limit: PageLimit) {
        self.limit = limit
        scannedMax = limit.count * HubStorageLimits.logEntriesPerRecordMax
        reached = position
    }

    /// Adds the next entry.
    ///
    /// - Parameter read: reads the present state of a record that the page does not have yet; `nil` for a record that
    ///   is not stored.
    /// - Returns: false when it had no room; nothing can be added any more.
    package mutating func add(
        _ key: Key, at position: Int64, isNew: Bool, _ read: () throws -> LogPage.Entry?
    ) rethrows -> Bool {
        guard !isFull, scanned < scannedMax else {
            isFull = true
            return false
        }
        if found[key] != nil {
            found[key]?.position = position
        } else if let entry = try read() {
            let bytes = entry.state.contentBytes
            guard found.isEmpty || found.count < limit.count && contentBytes + bytes <= limit.contentBytes else {
                isFull = true
                return false
            }
            contentBytes += bytes
            found[key] = Found(entry: entry, position: position)
        }
        if isNew { found[key]?.entry.change.isNew = true }
        scanned += 1
        reached = position
        return true
    }

    /// The entries in the order of their positions, and the position up to which they reach.
    ///
    /// - Parameter last: the end of the log, which is reached when nothing is missing.
    package func page(upTo last: Int64) -> (entries: [LogPage.Entry], position: Int64) {
        let entries = found.values.sorted { $0.position < $1.position }.map(\.entry)
        return (entries, isFull ? reached : last)
    }
}

extension LogPage.State {
    fileprivate var contentBytes: Int {
        switch self {
        case .message(let message): message.content.utf8.count
        case .record(let row): row.bytes
        case .deleted: 0
        }
    }
}
