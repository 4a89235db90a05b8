internal import CausewayHubRules
internal import CausewayModels

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
    private var bytes = 0
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
            let eventBytes = entry.eventBytes
            guard found.isEmpty || found.count < limit.count && bytes + eventBytes <= limit.contentBytes else {
                isFull = true
                return false
            }
            bytes += eventBytes
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
        // A key path would be made anew for each page, because the type is generic.
        let entries = found.values.sorted { $0.position < $1.position }.map { $0.entry }
        return (entries, isFull ? reached : last)
    }
}

extension LogPage {
    /// About the bytes of its events in a response, rather too many.
    package var eventBytes: Int { entries.reduce(0) { $0 + $1.eventBytes } }
}

extension LogPage.Entry {
    /// About the bytes of its event in a response, rather too many: everything of variable length, and the rest.
    fileprivate var eventBytes: Int {
        HubStorageLimits.eventHeadBytes + change.topic.name.utf8.count + state.variableBytes
    }
}

extension LogPage.State {
    fileprivate var variableBytes: Int {
        switch self {
        case .message(let message): message.content.utf8.count + message.headBytes
        // A membership may name its channel once more, as a topic to read anew.
        case .record(let row): row.bytes + row.key.id.utf8.count
        case .deleted(let message): message?.headBytes ?? 0
        }
    }
}

extension StoredMessage {
    fileprivate var headBytes: Int {
        let tags = tags.reduce(0) { $0 + $1.utf8.count + 3 }
        let reactions = reactions.reduce(0) { $0 + ($1.isOwn ? 2 : 1) * ($1.name.utf8.count + 16) }
        return channel.value.utf8.count + sender.value.utf8.count + tags + reactions
    }
}
