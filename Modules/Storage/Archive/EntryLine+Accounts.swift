import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lines of everything but messages and operations.
extension EntryLine {
    /// The line of type `store`.
    struct HeaderLine: Codable {
        static let type = "store"
        var type = HeaderLine.type
        var version = EntryLine.version
        var epoch: Int64
        var nextSequence: Int64
        var sharedBelow: Int64
        var session: Session?
        var current: Account?

        init(_ header: StoreHeader) {
            epoch = header.epoch
            nextSequence = header.nextSequence
            sharedBelow = header.sharedBelow
            session = header.session
            current = header.current
        }

        func header() throws -> StoreHeader {
            guard version == EntryLine.version else {
                throw EntryLine.Malformed(
                    description: "the export has version \(version), this program reads version \(EntryLine.version)")
            }
            // Each opening adds one to the epoch.
            guard (0..<Limits.sequenceMax).contains(epoch), (1...Limits.sequenceMax).contains(nextSequence),
                (0...nextSequence).contains(sharedBelow)
            else { throw EntryLine.Malformed(description: "its numbers are out of range") }
            return StoreHeader(
                epoch: epoch, nextSequence: nextSequence, sharedBelow: sharedBelow, session: session, current: current)
        }
    }

    /// The line of type `account`.
    struct AccountLine: Codable {
        static let type = "account"
        var type = AccountLine.type
        var account: Account?
        var outbox: OutboxID?
        var opening: OpeningID?
        var earlierOpenings: [OpeningID]
        var history: ServerHistory?
        var eventCursor: EventCursor?

        init(_ entry: AccountEntry) {
            account = entry.account
            outbox = entry.outboxID
            opening = entry.opening
            earlierOpenings = entry.ancestors
            history = entry.history
            eventCursor = entry.eventCursor
        }

        var entry: AccountEntry {
            AccountEntry(
                account: account, outboxID: outbox, opening: opening,
                ancestors: Array(earlierOpenings.prefix(Limits.openingsKeptMax)), history: history,
                eventCursor: eventCursor)
        }
    }

    /// The line of type `lane`.
    struct LaneLine: Codable {
        static let type = "lane"
        var type = LaneLine.type
        var lane: String
        var lastTransmitted: Int64

        init(_ lane: LaneID, _ lastTransmitted: Int64) {
            self.lane = lane.rawValue
            self.lastTransmitted = lastTransmitted
        }

        var entry: StoreEntry { .lane(LaneID(rawValue: lane), lastTransmitted: lastTransmitted) }
    }

    /// The line of type `control`.
    struct MarkerLine: Codable {
        static let type = "control"
        var type = MarkerLine.type
        /// `fence`, `retract` or `delete`.
        var kind: String
        var lane: String
        var sequence: Int64
        var previous: Int64?
        var message: MessageID

        private static let kinds: [(OutboxEntry.Kind, String)] = [
            (.fence, "fence"), (.retract, "retract"), (.delete, "delete"),
        ]

        init(_ marker: ChainMarker) {
            kind = Self.kinds.first { $0.0 == marker.kind }?.1 ?? ""
            lane = marker.lane.rawValue
            sequence = marker.sequence
            previous = marker.previous
            message = marker.message
        }

        func marker() throws -> ChainMarker {
            guard let kind = Self.kinds.first(where: { $0.1 == kind })?.0 else {
                throw EntryLine.Malformed(description: "its kind is unknown")
            }
            return ChainMarker(
                kind: kind, lane: LaneID(rawValue: lane), sequence: sequence, previous: previous, message: message)
        }
    }

    /// The line of type `deletion`.
    struct DeletionLine: Codable {
        static let type = "deletion"
        var type = DeletionLine.type
        var action: DeleteAction

        init(_ action: DeleteAction) { self.action = action }
    }

    /// The line of type `record`.
    struct RecordLine: Codable {
        static let type = "record"
        var type = RecordLine.type
        var kind: String
        var id: String
        var version: Int64
        /// The JSON of the record as text, so that every byte of it is kept.
        var value: String
        var lists: [List]

        struct List: Codable {
            var name: String
            var scope: String
            /// Base64.
            var key: String
        }

        init(_ record: StoredRecord) {
            kind = record.kind.value
            id = record.id
            version = record.version
            value = String(decoding: record.value, as: UTF8.self)
            lists = record.entries.map { entry in
                List(name: entry.name, scope: entry.scope, key: Data(entry.key.bytes).base64EncodedString())
            }
        }

        func record() throws -> StoredRecord {
            guard let kind = RecordKind(kind), (1...Limits.recordIDBytesMax).contains(id.utf8.count), version >= 0,
                value.utf8.count <= Limits.recordBytesMax, lists.count <= Limits.recordListsMax
            else { throw EntryLine.Malformed(description: "its record is out of range") }
            let entries = try lists.map { list in
                guard let key = Data(base64Encoded: list.key) else {
                    throw EntryLine.Malformed(description: "the key of its list `\(list.name)` is malformed")
                }
                return ListEntry(list.name, scope: list.scope, key: ListKey(bytes: Array(key)))
            }
            return StoredRecord(kind: kind, id: id, version: version, value: Data(value.utf8), entries: entries)
        }
    }
}
