import CausewayModels
import CausewayStorage

/// Rows with contents that cannot be decoded. Such a row blocks nothing: it is shown as far as it can be read, with a
/// failure that describes the damage, and can be listed, failed and deleted like any other. Its content is never
/// overwritten.
extension MessageRow {
    init(standingInFor row: borrowing StatementRow) {
        let ordinal = row.int64(0)
        let state = StateCode.state(row.int64(10)) ?? .error
        let createdAt = Timestamp(milliseconds: row.int64(6))
        let stored = row.dataIfPresent(13).flatMap {
            try? StoredJSON.decode(Failure.self, $0, table: "message", key: ordinal)
        }
        let unreadable = Failure.unreadable(at: createdAt)
        self.init(
            message: Message(
                id: row.messageID(1) ?? MessageID(ordinal: ordinal),
                channel: ChannelID(row.text(2)) ?? Self.unreadableChannel,
                sender: UserID(row.text(3)) ?? Self.unreadableSender,
                role: RoleCode.role(row.int64(17), row.messageID(18)) ?? .message,
                displayed: MessageBody(
                    content: ContentCoding.decode(row.data(4)) ?? .unknown(type: "unreadable", body: .null)),
                createdAt: createdAt, ordinal: ordinal, lane: row.textIfPresent(7).map(LaneID.init(rawValue:)),
                laneSequence: row.int64(8), queuedAt: row.timestampIfPresent(19), syncState: state,
                failure: Self.failure(in: state, stored, unreadable), isInDoubt: row.int64(14) != 0,
                serverPosition: Self.serverPosition(row), attempts: Int(row.int64(11)),
                lastAttemptAt: row.timestampIfPresent(12), previousSequence: row.int64IfPresent(9)),
            bytes: Int(row.int64(5)))
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
