import CausewayModels
import Foundation
import GRDB

/// A message as GRDB reads it: every column that the store reads, as its plain value. That is less work than the store
/// does, which decodes a message.
struct WindowRow: FetchableRecord, Equatable, Sendable {
    private static let columns = """
        ordinal, id, channel, sender, content, bytes, created_at, lane, lane_sequence, previous_sequence, \
        sync_state, attempts, last_attempt_at, failure, in_doubt, position, accepted_at, role, related, queued_at, \
        history, extras, shown
        """

    let ordinal: Int64
    let id: Data
    let channel: String
    let sender: String
    let content: String
    let bytes: Int
    let createdAt: Int64
    let lane: String?
    let laneSequence: Int64
    let previousSequence: Int64?
    let syncState: Int64
    let attempts: Int
    let lastAttemptAt: Int64?
    let failure: String?
    let isInDoubt: Bool
    let position: Int64
    let acceptedAt: Int64?
    let role: Int64
    let related: Data?
    let queuedAt: Int64?
    let history: String?
    let extras: String?
    let shown: String?

    init(row: Row) {
        ordinal = row[0]
        id = row[1]
        channel = row[2]
        sender = row[3]
        content = row[4]
        bytes = row[5]
        createdAt = row[6]
        lane = row[7]
        laneSequence = row[8]
        previousSequence = row[9]
        syncState = row[10]
        attempts = row[11]
        lastAttemptAt = row[12]
        failure = row[13]
        isInDoubt = row[14]
        position = row[15]
        acceptedAt = row[16]
        role = row[17]
        related = row[18]
        queuedAt = row[19]
        history = row[20]
        extras = row[21]
        shown = row[22]
    }

    /// The store's query for ``FilledStore/newest(in:pageSize:)``; arguments are the channel and the limit.
    static let newest = """
        SELECT \(columns) FROM message INDEXED BY message_place WHERE account = 1 AND channel = ? \
        ORDER BY position DESC, ordinal DESC LIMIT ?
        """

    static func newest(in channel: ChannelID, limit: Int) -> SQLRequest<WindowRow> {
        SQLRequest(sql: newest, arguments: [channel.value, limit], cached: true)
    }
}
