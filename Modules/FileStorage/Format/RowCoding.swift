import CausewayModels
import CausewayStorage
import Foundation

/// The records of everything but items: what a change of a row is in a frame, and back.
enum RowCoding {
    static func write(
        _ marker: ChainMarker?, at sequence: Int64, _ account: Int, to buffer: inout FrameBuffer
    ) throws(StoreError) {
        _ = try buffer.append(.marker) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, sequence)
            guard let marker else { return }
            bytes.append(3, Int64(marker.kind.rawValue))
            bytes.append(4, text: marker.lane.rawValue)
            bytes.append(5, marker.previous)
            bytes.append(6, marker.message.value)
        }
    }

    static func write(_ lane: LaneID, _ sequence: Int64, _ account: Int, to buffer: inout FrameBuffer)
        throws(StoreError)
    {
        _ = try buffer.append(.lane) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, sequence)
            bytes.append(4, text: lane.rawValue)
        }
    }

    static func write(
        _ name: Account?, _ outbox: OutboxRecord, _ account: Int, to buffer: inout FrameBuffer
    ) throws(StoreError) {
        let history = try outbox.history.map(StoredJSON.encode)
        _ = try buffer.append(.account) { bytes in
            bytes.append(1, Int64(account))
            if let name {
                bytes.append(2, text: name.server)
                bytes.append(3, text: name.user.value)
            }
            if let id = outbox.id { bytes.append(4, id.value) }
            if let opening = outbox.lineage.opening { bytes.append(5, opening.value) }
            if !outbox.lineage.ancestors.isEmpty {
                bytes.append(6, bytes: outbox.lineage.ancestors.flatMap(\.value.bytes))
            }
            if let history { bytes.append(7, bytes: history) }
            if let cursor = outbox.eventCursor { bytes.append(8, text: cursor.rawValue) }
        }
    }

    static func write(_ state: StoreState, to buffer: inout FrameBuffer) throws(StoreError) {
        let session = try state.session.map(StoredJSON.encode)
        _ = try buffer.append(.common) { bytes in
            bytes.append(1, Int64(state.current))
            bytes.append(2, state.epoch)
            bytes.append(3, state.openedAt)
            bytes.append(4, state.sharedBelow)
            if let session { bytes.append(5, bytes: session) }
        }
    }

    static func write(counter next: Int64, to buffer: inout FrameBuffer) throws(StoreError) {
        _ = try buffer.append(.counter) { bytes in bytes.append(1, next) }
    }

    static func write(
        _ record: StoredRecord, _ account: Int, to buffer: inout FrameBuffer
    ) throws(StoreError) -> RecordLocation {
        try buffer.append(.record) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, text: record.kind.value)
            bytes.append(3, text: record.id)
            bytes.append(4, record.version)
            bytes.append(5, bytes: record.value)
            bytes.append(6, bytes: entries(record.entries))
        }
    }

    static func write(_ action: DeleteAction, _ account: Int, to buffer: inout FrameBuffer) throws(StoreError)
        -> RecordLocation
    {
        let json = try StoredJSON.encode(action)
        return try buffer.append(.deletion) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, action.sequence)
            bytes.append(3, action.message.value)
            bytes.append(4, bytes: json)
        }
    }

    /// A past deletion whose details are lost: it is not listed, and no export has it.
    static func write(
        deletion sequence: Int64, of message: MessageID, _ account: Int, to buffer: inout FrameBuffer
    ) throws(StoreError) -> RecordLocation {
        try buffer.append(.deletion) { bytes in
            bytes.append(1, Int64(account))
            bytes.append(2, sequence)
            bytes.append(3, message.value)
        }
    }

    // MARK: Lists of a record

    /// Each entry as three pairs of length and bytes: name, scope, key.
    static func entries(_ entries: [ListEntry]) -> [UInt8] {
        var bytes: [UInt8] = []
        for entry in entries {
            for part in [Array(entry.name.utf8), Array(entry.scope.utf8), entry.key.bytes] {
                bytes.append(varint: UInt64(part.count))
                bytes += part
            }
        }
        return bytes
    }

    static func entries(_ bytes: ArraySlice<UInt8>) throws(FieldReader.Malformed) -> [ListEntry] {
        var reader = FieldReader(bytes)
        var entries: [ListEntry] = []
        while !reader.isAtEnd {
            let name = try reader.part()
            let scope = try reader.part()
            let key = ListKey(bytes: Array(try reader.part()))
            entries.append(
                ListEntry(
                    String(decoding: name, as: UTF8.self), scope: String(decoding: scope, as: UTF8.self), key: key))
        }
        return entries
    }

    /// A record other than a message, as its fields have it.
    static func record(_ reader: FieldReader) throws(FieldReader.Malformed) -> StoredRecord {
        let fields = try Fields(reader)
        return StoredRecord(
            kind: try kind(fields), id: try fields.requiredText(3), version: try fields.required(4),
            value: Data(fields.bytes(5) ?? []), entries: try entries(fields.bytes(6) ?? []))
    }

    static func kind(_ fields: Fields) throws(FieldReader.Malformed) -> RecordKind {
        guard let kind = RecordKind(try fields.requiredText(2)) else { throw .init(detail: "the kind is malformed") }
        return kind
    }

    /// A past deletion, as its fields have it; `nil` if its details are lost.
    static func deletion(_ reader: FieldReader) throws(FieldReader.Malformed) -> DeleteAction? {
        let fields = try Fields(reader)
        guard let json = fields.bytes(4) else { return nil }
        var action = try StoredJSON.decode(DeleteAction.self, json)
        action.sequence = try fields.required(2)
        return action
    }
}

extension FieldReader {
    /// A length and as many bytes.
    fileprivate mutating func part() throws(Malformed) -> ArraySlice<UInt8> {
        try raw(count: try varint())
    }
}
