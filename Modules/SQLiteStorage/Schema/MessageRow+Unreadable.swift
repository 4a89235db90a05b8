import CausewayModels
import CausewayStorage
import Foundation
import GRDB

/// Rows with contents that cannot be decoded. Such a row blocks nothing: it is shown as far as it can be read, with a
/// failure that describes the damage, and can be listed, failed and deleted like any other. Its content is never
/// overwritten.
extension MessageRow {
    init(standingInFor row: Row) {
        let ordinal: Int64 = row[0]
        let state = StateCode.state(row[10]) ?? .error
        let createdAt = Timestamp(milliseconds: row[6])
        let role = RoleCode.role(row[17], (row[18] as Data?).flatMap(MessageID.init(blob:))) ?? .message
        let content = ContentCoding.decode(row[4] as Data) ?? .unknown(type: "unreadable", body: .null)
        var serverPosition: ServerPosition?
        if let acceptedAt = row[16] as Int64? {
            serverPosition = ServerPosition(position: row[15], acceptedAt: Timestamp(milliseconds: acceptedAt))
        }
        let stored = (row[13] as Data?).flatMap {
            try? StoredJSON.decode(Failure.self, $0, table: "message", key: ordinal)
        }
        let unreadable = Failure.unreadable(at: createdAt)
        self.init(
            message: Message(
                id: MessageID(blob: row[1]) ?? MessageID(ordinal: ordinal),
                channel: ChannelID(row[2]) ?? Self.unreadableChannel, sender: UserID(row[3]) ?? Self.unreadableSender,
                role: role, displayed: MessageBody(content: content), createdAt: createdAt, ordinal: ordinal,
                lane: (row[7] as String?).map(LaneID.init(rawValue:)), laneSequence: row[8],
                queuedAt: (row[19] as Int64?).map(Timestamp.init(milliseconds:)), syncState: state,
                failure: Self.failure(in: state, stored, unreadable), isInDoubt: row[14],
                serverPosition: serverPosition, attempts: row[11],
                lastAttemptAt: (row[12] as Int64?).map(Timestamp.init(milliseconds:)), previousSequence: row[9]),
            bytes: row[5])
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
