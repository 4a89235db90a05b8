import CausewayModels
import CausewayStorage

/// The links of a store by ascending sequence, kept up to date with each change. Equal to every other list: it follows
/// from the items and markers.
struct EntryList: Hashable {
    private(set) var entries: [OutboxEntry] = []
    /// Increases with each change.
    private(set) var version = 0

    mutating func replace(by entries: [OutboxEntry]) {
        version += 1
        self.entries = entries.sorted {
            $0.sequence == $1.sequence ? $0.kind.rawValue < $1.kind.rawValue : $0.sequence < $1.sequence
        }
    }

    /// Replaces the link that sends a message.
    ///
    /// - Parameters:
    ///   - entry: `nil` if the message is not to be sent.
    ///   - sequence: its sequence before.
    mutating func replace(by entry: OutboxEntry?, of message: MessageID, at sequence: Int64?) {
        version += 1
        if let sequence, let index = index(of: message, at: sequence) {
            if let entry, entry.sequence == sequence {
                entries[index] = entry
                return
            }
            entries.remove(at: index)
        }
        guard let entry else { return }
        var index = lowerBound(of: entry.sequence)
        while index < entries.count, entries[index].sequence == entry.sequence,
            entries[index].kind.rawValue < entry.kind.rawValue
        {
            index += 1
        }
        entries.insert(entry, at: index)
    }

    private func index(of message: MessageID, at sequence: Int64) -> Int? {
        var index = lowerBound(of: sequence)
        while index < entries.count, entries[index].sequence == sequence {
            if entries[index].message == message, entries[index].kind == .send { return index }
            index += 1
        }
        return nil
    }

    private func lowerBound(of sequence: Int64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func == (_: EntryList, _: EntryList) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
