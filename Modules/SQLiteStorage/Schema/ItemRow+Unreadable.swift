import CausewayModels
import CausewayStorage

/// Rows with contents that cannot be decoded. Such a row blocks nothing: it is shown as far as it can be read, with a
/// failure that describes the damage, and can be listed, failed and deleted like any other. Its content is never
/// overwritten.
extension ItemRow {
    init(standingInFor row: borrowing StatementRow) {
        let ordinal = row.int64(0)
        let state = StateCode.state(row.int64(10)) ?? .error
        let createdAt = Timestamp(milliseconds: row.int64(6))
        let stored = row.dataIfPresent(13).flatMap {
            try? StoredJSON.decode(Failure.self, $0, table: "message", key: ordinal)
        }
        let content = ContentCoding.decode(row.data(4)) ?? .unknown(type: "unreadable", body: .null)
        let id = row.messageID(1) ?? MessageID(ordinal: ordinal)
        let channel = ChannelID(row.text(2)) ?? Self.unreadableChannel
        let sender = UserID(row.text(3)) ?? Self.unreadableSender
        let delivery = DeliveryProgress(
            syncState: state, failure: Self.failure(in: state, stored, .unreadable(at: createdAt)),
            isInDoubt: row.int64(14) != 0, lane: row.textIfPresent(7).map(LaneID.init(rawValue:)),
            laneSequence: row.int64(8), previousSequence: row.int64IfPresent(9),
            queuedAt: row.timestampIfPresent(19) ?? createdAt, attempts: Int(row.int64(11)),
            lastAttemptAt: row.timestampIfPresent(12))
        let bytes = Int(row.int64(5))
        if Self.isOperation(row) {
            let target = row.messageID(18) ?? MessageID(ordinal: ordinal)
            let stored = PayloadCode.payload(row.int64(17), target, content)
            let payload = stored.flatMap { $0.createsMessage ? nil : $0 } ?? .edit(target, content)
            let operation = QueuedOperation(
                id: id, channel: channel, sender: sender, payload: payload, createdAt: createdAt,
                ordinal: ordinal,
                delivery: delivery)
            self.init(item: .operation(operation), bytes: bytes)
            return
        }
        self.init(
            message: Message(
                id: id, channel: channel, sender: sender, parent: row.messageID(18),
                displayed: MessageBody(content: content), createdAt: createdAt, ordinal: ordinal,
                serverPosition: Self.serverPosition(row), delivery: delivery),
            bytes: bytes)
    }

    /// A message that the server has can be fetched again; one that waits can only be failed.
    private static func failure(in state: SyncState, _ stored: Failure?, _ unreadable: Failure) -> Failure? {
        switch state {
        case .synced: nil
        case .error: stored ?? unreadable
        case .created, .uploading, .syncing: unreadable
        }
    }

    private static let unreadableChannel: ChannelID = {
        guard let channel = ChannelID("unreadable") else { preconditionFailure("it is a name") }
        return channel
    }()
    private static let unreadableSender: UserID = {
        guard let user = UserID("unreadable") else { preconditionFailure("it is a name") }
        return user
    }()
}

extension MessageID {
    /// A substitute for an id that cannot be read; no real message has an id of this form.
    init(ordinal: Int64) { self.init(UUIDv7(high: 0, low: UInt64(bitPattern: ordinal))) }

    /// The row that a substitute id refers to; `nil` for a real id.
    var ordinal: Int64? { value.high == 0 ? Int64(bitPattern: value.low) : nil }
}
