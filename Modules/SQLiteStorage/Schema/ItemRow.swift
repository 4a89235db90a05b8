import CausewayModels
import CausewayStorage
import Foundation

extension ItemRow {
    /// The columns of every query for operations that create no message. They have no position, by which
    /// ``init(_:_:)`` recognizes them.
    static let operationColumns = """
        ordinal, id, channel, sender, content, bytes, created_at, lane, lane_sequence, previous_sequence, \
        sync_state, attempts, last_attempt_at, failure, in_doubt, NULL, NULL, kind, target, queued_at, history, \
        NULL, NULL, NULL
        """
    /// The columns of every query for messages, in the order that ``init(_:_:)`` reads.
    static let columns = ownColumns + ", role, related, queued_at, history, extras, shown, upload"
    /// The columns that every message sets; the others have a default that suits most messages.
    static let ownColumns = """
        ordinal, id, channel, sender, content, bytes, created_at, lane, lane_sequence, previous_sequence, \
        sync_state, attempts, last_attempt_at, failure, in_doubt, position, accepted_at
        """

    /// Decodes one of many rows, reusing names from the row before.
    init(_ row: borrowing StatementRow, _ names: inout Names) {
        do {
            try self.init(reading: row, &names)
        } catch {
            self.init(standingInFor: row)
        }
    }

    /// Decodes a row; throws ``UnreadableRow`` if it is damaged.
    init(reading row: borrowing StatementRow, _ names: inout Names) throws {
        let ordinal = row.int64(0)
        guard let id = row.messageID(1), let channel = names.channel(row, 2), let sender = names.sender(row, 3),
            let content = ContentCoding.decode(row.data(4)), let state = StateCode.state(row.int64(10)),
            let payload = PayloadCode.payload(row.int64(17), row.messageID(18), content),
            let history = row.isNull(20) ? [] : HistoryCoding.decode(row.text(20))
        else { throw UnreadableRow(table: "message", key: ordinal) }
        let failure = try StoredJSON.decode(
            Failure.self, ifPresent: row.dataIfPresent(13), table: "message", key: ordinal)
        let createdAt = Timestamp(milliseconds: row.int64(6))
        let upload = try StoredJSON.decode(
            AttachmentUpload.self, ifPresent: row.dataIfPresent(23), table: "message", key: ordinal)
        let delivery = DeliveryProgress(
            syncState: state, failure: failure, isInDoubt: row.int64(14) != 0, lane: names.lane(row, 7),
            laneSequence: row.int64(8), previousSequence: row.int64IfPresent(9),
            queuedAt: row.timestampIfPresent(19) ?? createdAt, attempts: Int(row.int64(11)),
            lastAttemptAt: row.timestampIfPresent(12), history: history, upload: upload)
        if Self.isOperation(row) {
            if payload.createsMessage { throw UnreadableRow(table: "operation", key: ordinal) }
            let operation = QueuedOperation(
                id: id, channel: channel, sender: sender, payload: payload, createdAt: createdAt,
                ordinal: ordinal,
                delivery: delivery)
            self.init(item: .operation(operation), bytes: Int(row.int64(5)))
            return
        }
        guard case .create(_, let parent, _) = payload else {
            throw UnreadableRow(table: "message", key: ordinal)
        }
        let extras = try StoredJSON.decode(
            StoredAggregates.self, ifPresent: row.dataIfPresent(21), table: "message", key: ordinal)
        let shown = try StoredJSON.decode(
            MessageBody.self, ifPresent: row.dataIfPresent(22), table: "message", key: ordinal)
        let sent = MessageBody(content: content, extras)
        self.init(
            message: Message(
                id: id, channel: channel, sender: sender, parent: parent, displayed: shown ?? sent,
                confirmed: shown == nil ? nil : sent, createdAt: createdAt, ordinal: ordinal,
                serverPosition: Self.serverPosition(row), delivery: delivery),
            bytes: Int(row.int64(5)))
    }

    static func isOperation(_ row: borrowing StatementRow) -> Bool { row.isNull(15) }

    static func serverPosition(_ row: borrowing StatementRow) -> ServerPosition? {
        row.timestampIfPresent(16).map { ServerPosition(position: row.int64(15), acceptedAt: $0) }
    }
}

extension ItemRow {
    /// The names in the row that was read last: adjacent rows often share them, and a name that has been validated need
    /// not be validated again.
    struct Names {
        private var lastChannel: ChannelID?
        private var lastSender: UserID?
        private var lastLane: LaneID?

        mutating func channel(_ row: borrowing StatementRow, _ column: Int32) -> ChannelID? {
            if let lastChannel, row.text(column, equals: lastChannel.value) { return lastChannel }
            lastChannel = ChannelID(row.text(column))
            return lastChannel
        }

        mutating func sender(_ row: borrowing StatementRow, _ column: Int32) -> UserID? {
            if let lastSender, row.text(column, equals: lastSender.value) { return lastSender }
            lastSender = UserID(row.text(column))
            return lastSender
        }

        /// `nil` for null.
        mutating func lane(_ row: borrowing StatementRow, _ column: Int32) -> LaneID? {
            if row.isNull(column) { return nil }
            if let lastLane, row.text(column, equals: lastLane.rawValue) { return lastLane }
            lastLane = LaneID(rawValue: row.text(column))
            return lastLane
        }
    }
}

/// A row whose contents cannot be decoded: the file is damaged.
struct UnreadableRow: Error {
    var table: String
    var key: Int64
}

/// JSON values of the layer above, in text columns.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoding.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: Data, table: String, key: Int64) throws -> Value {
        try decode(type, ifPresent: text, table: table, key: key) ?? { throw UnreadableRow(table: table, key: key) }()
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, ifPresent text: Data?, table: String, key: Int64
    ) throws -> Value? {
        guard let text else { return nil }
        do {
            return try JSONCoding.decode(type, from: Array(text))
        } catch {
            throw UnreadableRow(table: table, key: key)
        }
    }
}

extension MessageID {
    init?(blob: Data) {
        guard blob.count == 16 else { return nil }
        let (high, low) = unsafe blob.withUnsafeBytes { bytes in
            (
                unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(UUIDv7(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)))
    }

    var blob: Data { Data(value.bytes) }
}

extension ChainMarker {
    static let columns = "sequence, kind, lane, previous, message"
    /// The kinds that a row may have.
    static let kinds = OutboxEntry.Kind.allCases.filter { $0 != .send }.map { "\($0.rawValue)" }.joined(separator: ", ")

    /// `nil` if the row cannot be read.
    init?(_ row: borrowing StatementRow) {
        guard let code = UInt8(exactly: row.int64(1)), let kind = OutboxEntry.Kind(rawValue: code), kind != .send,
            let message = row.messageID(4)
        else { return nil }
        self.init(
            kind: kind, lane: LaneID(rawValue: row.text(2)), sequence: row.int64(0), previous: row.int64IfPresent(3),
            message: message)
    }
}
