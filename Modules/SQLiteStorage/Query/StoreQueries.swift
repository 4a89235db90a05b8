import CausewayModels
import CausewayStorage
import GRDB

/// All queries of the tables. Each names the index that it uses, so that a plan cannot change unnoticed, and is limited
/// to one account, its first argument.
enum StoreQueries {
    static let storeColumns = "account, epoch, next_sequence, shared_below"
    static let accountColumns = "server, user, outbox_id, opening, ancestors, server_history, event_cursor"
    static let messageByID =
        "SELECT \(ItemRow.columns) FROM message INDEXED BY message_id WHERE account = ? AND id = ?"
    /// Only for a row whose id cannot be read.
    static let messageByOrdinal =
        "SELECT \(ItemRow.columns) FROM message WHERE account = ? AND ordinal = ? AND length(id) <> 16"
    static let nextChannel = """
        SELECT channel FROM message INDEXED BY message_place WHERE account = ? AND channel > ? ORDER BY channel LIMIT 1
        """
    /// The position of a message that a number of newer ones follow. Reads nothing but the index.
    static let retainedStart = """
        SELECT position FROM message INDEXED BY message_place WHERE account = ? AND channel = ? \
        AND position < \(Int64.max) ORDER BY position DESC LIMIT 1 OFFSET ?
        """
    static let undelivered =
        "message INDEXED BY message_undelivered WHERE sync_state <> 3 AND account = ?"
    /// Undelivered messages have no position; in a channel's order they come last.
    static let undeliveredInChannel = """
        message INDEXED BY message_place WHERE account = ? AND channel = ? \
        AND position = \(Int64.max) AND sync_state <> 3
        """
    static let created =
        "message INDEXED BY message_pending WHERE sync_state < 3 AND account = ? AND sync_state = 0"
    static let underWay = """
        message INDEXED BY message_under_way WHERE sync_state IN (1, 2) AND account = ? AND sync_state = ?
        """
    static let failed = "message INDEXED BY message_failed WHERE sync_state = 4 AND account = ?"
    static let failedInChannel = """
        message INDEXED BY message_failed_in_channel WHERE sync_state = 4 AND account = ? AND channel = ?
        """
    /// All messages that wait without a lane sequence.
    static let parked =
        "message INDEXED BY message_pending WHERE sync_state < 3 AND account = ?1 AND lane_sequence = 0"
    /// Parked messages that wait directly or indirectly for a failed one.
    static let blocked = """
        WITH RECURSIVE blocked (account, id) AS ( \
        SELECT message.account, message.id FROM \(parked) AND EXISTS ( \
        SELECT 1 FROM message AS awaited INDEXED BY message_id \
        WHERE awaited.account = message.account AND awaited.id = message.related AND awaited.sync_state = 4) \
        UNION SELECT message.account, message.id FROM blocked JOIN message INDEXED BY message_dependant \
        ON message.account = blocked.account AND message.related = blocked.id AND message.related IS NOT NULL \
        AND message.sync_state = 0 AND message.lane_sequence = 0) \
        SELECT (SELECT count(*) FROM blocked) + (SELECT count(*) FROM \(parkedOperations) \
        AND (target IN (SELECT id FROM blocked) OR EXISTS ( \
        SELECT 1 FROM message AS awaited INDEXED BY message_id \
        WHERE awaited.account = operation.account AND awaited.id = operation.target AND awaited.sync_state = 4)))
        """
    static let pendingEntries = """
        SELECT \(entryColumns), 0, upload FROM message INDEXED BY message_pending \
        WHERE sync_state < 3 AND account = ?1 AND lane_sequence > 0 UNION ALL \
        SELECT \(entryColumns), 1, NULL FROM operation INDEXED BY operation_pending \
        WHERE sync_state < 3 AND account = ?1 AND lane_sequence > 0 ORDER BY lane_sequence
        """
    private static let entryColumns = """
        id, lane, lane_sequence, previous_sequence, attempts, bytes, coalesce(queued_at, created_at), ordinal
        """
    static let pendingMessageAtSequence = """
        SELECT \(ItemRow.columns) FROM message INDEXED BY message_pending \
        WHERE sync_state < 3 AND account = ? AND lane_sequence > 0 AND lane_sequence = ?
        """
    /// Every message that the server has, read in the order of the table: most messages are of this kind.
    static let synced = "message NOT INDEXED WHERE account = ? AND sync_state = 3"
    /// The messages parked for a message, and the operations on it.
    static let dependants = """
        SELECT \(ItemRow.columns) FROM message INDEXED BY message_dependant WHERE account = ?1 AND related = ?2 \
        AND related IS NOT NULL AND sync_state = 0 AND lane_sequence = 0 UNION ALL \
        SELECT \(ItemRow.operationColumns) FROM operation INDEXED BY operation_target \
        WHERE account = ?1 AND target = ?2 ORDER BY ordinal
        """
    /// Failed messages whose failure pauses their lane: a few at most, so they have no index.
    static let pausing = "\(failed) AND json_valid(failure) AND json_extract(failure, '$.pausesLane')"
    static let lanePauses = "SELECT ordinal, lane, id FROM \(pausing) ORDER BY ordinal"
    static let controlEntries = """
        SELECT \(ChainMarker.columns) FROM control INDEXED BY control_sequence WHERE account = ? ORDER BY sequence
        """
    static let deletionOfMessage =
        "SELECT 1 FROM delete_action INDEXED BY delete_action_message WHERE account = ? AND message = ?"
    static let deletionCount =
        "SELECT count(*) FROM delete_action INDEXED BY delete_action_account WHERE account = ?"
    static let oldestDeletion =
        "SELECT min(sequence) FROM delete_action INDEXED BY delete_action_account WHERE account = ?"
    static let control =
        "SELECT \(ChainMarker.columns) FROM control INDEXED BY control_sequence WHERE account = ? AND sequence = ?"
    static let lanes = "SELECT name, last_transmitted FROM lane INDEXED BY lane_name WHERE account = ?"
    static let deleteActions = """
        SELECT sequence, action FROM delete_action INDEXED BY delete_action_account WHERE account = ? AND sequence < ? \
        ORDER BY sequence DESC LIMIT ?
        """

    /// The statements that together produce a page, in the order in which they are run; each continues where the one
    /// before ended.
    ///
    /// A cursor in a channel is followed first by the messages that share its position, then by those beyond it. With a
    /// single condition on the pair, SQLite would scan every message of that position: all undelivered ones.
    static func page(_ query: MessageQuery, _ account: AccountRow) -> [(sql: String, arguments: StatementArguments)] {
        let isAscending = query.direction == .ascending
        let order = isAscending ? "ASC" : "DESC"
        let beyond = isAscending ? ">" : "<"
        let start: Int64 = isAscending ? .min : .max
        let select = "SELECT \(ItemRow.columns) FROM "
        let ordinals = " AND ordinal \(beyond) ? ORDER BY ordinal \(order) LIMIT ?"
        switch query.scope {
        case .channel(let channel):
            let inChannel = "message INDEXED BY message_place WHERE account = ? AND channel = ?"
            let places = " ORDER BY position \(order), ordinal \(order) LIMIT ?"
            guard let after = query.after else { return [(select + inChannel + places, [account.id, channel.value])] }
            return [
                (
                    select + inChannel + " AND position = ?" + ordinals,
                    [account.id, channel.value, after.position, after.ordinal]
                ),
                (
                    select + inChannel + " AND position \(beyond) ?" + places,
                    [account.id, channel.value, after.position]
                ),
            ]
        case .undelivered:
            return [(select + undelivered + ordinals, [account.id, query.after?.ordinal ?? start])]
        case .undeliveredIn(let channel):
            return [
                (
                    select + undeliveredInChannel + ordinals,
                    [account.id, channel.value, query.after?.ordinal ?? start]
                )
            ]
        case .failed(in: nil):
            return [(select + failed + ordinals, [account.id, query.after?.ordinal ?? start])]
        case .failed(in: let channel?):
            return [
                (select + failedInChannel + ordinals, [account.id, channel.value, query.after?.ordinal ?? start])
            ]
        }
    }
}
