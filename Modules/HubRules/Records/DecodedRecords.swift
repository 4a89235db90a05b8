internal import CausewayModels
internal import CausewayRecords

/// The records that were decoded or coded last: a channel that gets one message after the other is decoded once, not
/// for each of them.
///
/// A record is found by its key and the text of its stored fields, so a text that another process has stored since, or
/// a change that was not stored after all, is never mistaken for it.
package struct DecodedRecords: Sendable {
    /// Records that are kept: with their texts about 2 MiB.
    package static let countMax = 256
    /// The bytes of the text of a record that is kept; a longer one is decoded each time.
    package static let textBytesMax = 4096

    private struct Entry: Sendable {
        var text: String
        var record: any Record
    }

    private var entries: [RecordKey: Entry] = [:]

    package init() {}

    package var count: Int { entries.count }

    /// - Complexity: O(bytes of `text`).
    func record<Value: Record>(_ type: Value.Type, _ key: RecordKey, _ text: String) -> Value? {
        // Of bytes: equal strings may be different texts.
        guard let entry = entries[key], entry.text.utf8.elementsEqual(text.utf8) else { return nil }
        return entry.record as? Value
    }

    /// Keeps a record in the place of its former version. When there are too many, all others are dropped.
    mutating func keep(_ record: any Record, as key: RecordKey, _ text: String) {
        guard text.utf8.count <= Self.textBytesMax else {
            entries[key] = nil
            return
        }
        if entries.count >= Self.countMax, entries[key] == nil { entries = [:] }
        entries[key] = Entry(text: text, record: record)
    }
}
