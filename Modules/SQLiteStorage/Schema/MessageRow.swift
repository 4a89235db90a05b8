import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// A message as stored in the table.
struct MessageRow: Sendable {
    /// The columns of every query for messages, in the order that ``init(_:)`` reads.
    static let columns = ownColumns + ", role, related, queued_at, history, extras, shown"
    /// The columns that every message sets; the others have a default that suits most messages.
    static let ownColumns = """
        ordinal, id, channel, sender, content, bytes, created_at, lane, lane_sequence, previous_sequence, \
        sync_state, attempts, last_attempt_at, failure, in_doubt, position, accepted_at
        """

    var message: Message
    /// The size of the coded content.
    var bytes: Int

    init(message: Message, bytes: Int) {
        self.message = message
        self.bytes = bytes
    }

    init(_ row: Row) {
        var names = Names()
        self.init(row, &names)
    }

    /// Decodes one of many rows, reusing names from the row before.
    init(_ row: Row, _ names: inout Names) {
        do {
            try self.init(reading: row, &names)
        } catch {
            self.init(standingInFor: row)
        }
    }

    private init(reading row: Row, _ names: inout Names) throws {
        let ordinal: Int64 = row[0]
        guard let id = MessageID(blob: row[1]), let channel = names.channel(row[2]),
            let sender = names.sender(row[3]), let content = ContentCoding.decode(row[4] as Data),
            let state = StateCode.state(row[10]),
            let role = RoleCode.role(row[17], (row[18] as Data?).flatMap(MessageID.init(blob:))),
            let history = (row[20] as String?).map(HistoryCoding.decode) ?? []
        else { throw UnreadableRow(table: "message", key: ordinal) }
        var failure: Failure?
        if let text = row[13] as Data? {
            failure = try StoredJSON.decode(Failure.self, text, table: "message", key: ordinal)
        }
        var serverPosition: ServerPosition?
        if let acceptedAt = row[16] as Int64? {
            serverPosition = ServerPosition(position: row[15], acceptedAt: Timestamp(milliseconds: acceptedAt))
        }
        let extras = try StoredJSON.decode(StoredAggregates.self, ifPresent: row[21], table: "message", key: ordinal)
        let shown = try StoredJSON.decode(MessageBody.self, ifPresent: row[22], table: "message", key: ordinal)
        let sent = MessageBody(content: content, extras)
        message = Message(
            id: id, channel: channel, sender: sender, role: role, displayed: shown ?? sent,
            confirmed: shown == nil ? nil : sent, createdAt: Timestamp(milliseconds: row[6]), ordinal: ordinal,
            lane: (row[7] as String?).map(LaneID.init(rawValue:)), laneSequence: row[8],
            queuedAt: (row[19] as Int64?).map(Timestamp.init(milliseconds:)), syncState: state,
            failure: failure, isInDoubt: row[14], serverPosition: serverPosition, attempts: row[11],
            lastAttemptAt: (row[12] as Int64?).map(Timestamp.init(milliseconds:)), history: history,
            previousSequence: row[9])
        bytes = row[5]
    }
}

extension MessageRow {
    /// The names in the row that was read last: adjacent rows often share them, and a name that has been validated need
    /// not be validated again.
    struct Names {
        private var lastChannel: ChannelID?
        private var lastSender: UserID?

        mutating func channel(_ name: String) -> ChannelID? {
            if lastChannel?.value != name { lastChannel = ChannelID(name) }
            return lastChannel
        }

        mutating func sender(_ name: String) -> UserID? {
            if lastSender?.value != name { lastSender = UserID(name) }
            return lastSender
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
    private static let encoder = JSONEncoder()

    static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
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

    init(_ row: Row) throws {
        let sequence: Int64 = row[0]
        guard let code = UInt8(exactly: row[1] as Int64), let kind = OutboxEntry.Kind(rawValue: code), kind != .send,
            let message = MessageID(blob: row[4])
        else { throw UnreadableRow(table: "control", key: sequence) }
        self.init(
            kind: kind, lane: LaneID(rawValue: row[2]), sequence: sequence, previous: row[3], message: message)
    }
}
