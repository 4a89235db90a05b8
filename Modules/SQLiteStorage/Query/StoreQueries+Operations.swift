import CausewayModels
import CausewayStorage
import GRDB

/// Queries of the operations that create no message, and of both tables together.
///
/// Each of the two parts of a common query is in the common order already, so SQLite merges them while it reads them.
extension StoreQueries {
    static let operationByID = """
        SELECT \(ItemRow.operationColumns) FROM operation INDEXED BY operation_id WHERE account = ? AND id = ?
        """
    /// Only for a row whose id cannot be read.
    static let operationByOrdinal = """
        SELECT \(ItemRow.operationColumns) FROM operation WHERE account = ? AND ordinal = ? AND length(id) <> 16
        """
    static let operationsOnMessage = """
        SELECT \(ItemRow.operationColumns) FROM operation INDEXED BY operation_target \
        WHERE account = ? AND target = ? ORDER BY ordinal
        """
    static let pendingOperationAtSequence = """
        SELECT \(ItemRow.operationColumns) FROM operation INDEXED BY operation_pending \
        WHERE sync_state < 3 AND account = ? AND lane_sequence > 0 AND lane_sequence = ?
        """
    static let operations = "operation INDEXED BY operation_order WHERE account = ?"
    static let parkedOperations =
        "operation INDEXED BY operation_pending WHERE sync_state < 3 AND account = ?1 AND lane_sequence = 0"

    /// The statement that reads a page of a part of the items. Its arguments are the account, the key after which the
    /// page begins, the number of rows, and for items under way their state.
    static func page(of part: ItemPart) -> String {
        let messages = "SELECT \(ItemRow.columns) FROM message "
        let operations = "SELECT \(ItemRow.operationColumns) FROM operation "
        let ordinals = " AND ordinal > ?2 ORDER BY ordinal LIMIT ?3"
        let sequences = " AND lane_sequence > ?2 ORDER BY lane_sequence LIMIT ?3"
        return switch part {
        case .pending:
            messages
                + "INDEXED BY message_undelivered WHERE account = ?1 AND sync_state <> 3 AND sync_state < 3 "
                + "AND ordinal > ?2 UNION ALL "
                + operations + "INDEXED BY operation_order WHERE account = ?1 AND sync_state < 3" + ordinals
        case .failed:
            messages
                + "INDEXED BY message_failed WHERE account = ?1 AND sync_state = 4 AND ordinal > ?2 UNION ALL "
                + operations + "INDEXED BY operation_failed WHERE account = ?1 AND sync_state = 4"
                + ordinals
        case .pausing: "SELECT \(ItemRow.columns) FROM " + pausing + ordinals
        case .synced: "SELECT \(ItemRow.columns) FROM " + synced + ordinals
        case .underWay:
            messages
                + "INDEXED BY message_under_way WHERE sync_state IN (1, 2) AND account = ?1 AND sync_state = ?4 "
                + "AND lane_sequence > ?2 UNION ALL "
                + operations + "INDEXED BY operation_under_way "
                + "WHERE sync_state IN (1, 2) AND account = ?1 AND sync_state = ?4" + sequences
        }
    }

    /// The statement that reads a page of the outbox; `nil` if the page is empty.
    static func page(
        _ query: OperationQuery, _ account: AccountRow, limit: Int
    ) -> (sql: String, arguments: StatementArguments)? {
        let isAscending = query.direction == .ascending
        let after = query.after?.ordinal ?? (isAscending ? .min : .max)
        let part: Part
        var arguments: StatementArguments = [account.id, after, limit]
        switch query.scope {
        case .undelivered(in: nil):
            part = Part("message_undelivered", "operation_order", "sync_state <> 3")
        case .undelivered(in: let channel?):
            // Undelivered messages have no position: among those of a position the order is that of creation.
            part = Part(
                "message_place", "operation_in_channel", "channel = ?4 AND sync_state <> 3",
                messagesOnly: "position = \(Int64.max)")
            arguments += [channel.value]
        case .failed(in: nil):
            part = Part("message_failed", "operation_failed", "sync_state = 4")
        case .failed(in: let channel?):
            part = Part(
                "message_failed_in_channel", "operation_failed_in_channel",
                "channel = ?4 AND sync_state = 4")
            arguments += [channel.value]
        case .pending(.created):
            part = Part(
                "message_pending", "operation_pending", "sync_state < 3 AND sync_state = 0", isInLanes: true
            )
        case .pending(.uploading), .pending(.syncing):
            part = Part(
                "message_under_way", "operation_under_way", "sync_state IN (1, 2) AND sync_state = ?4",
                isInLanes: true)
            if case .pending(let state) = query.scope { arguments += [StateCode.code(state)] }
        case .pending(.synced), .pending(.error): return nil
        }
        return (part.page(isAscending: isAscending), arguments)
    }

    /// The rows of both tables for which a condition holds, each part with its index.
    private struct Part {
        var messageIndex: String
        var operationIndex: String
        var condition: String
        var messagesOnly: String?
        /// True for rows with a lane sequence, in the order of their lanes.
        var isInLanes: Bool

        init(
            _ messageIndex: String, _ operationIndex: String, _ condition: String,
            messagesOnly: String? = nil,
            isInLanes: Bool = false
        ) {
            self.messageIndex = messageIndex
            self.operationIndex = operationIndex
            self.condition = condition
            self.messagesOnly = messagesOnly
            self.isInLanes = isInLanes
        }

        /// The arguments are the account, the key after which the page begins, the number of rows, and the argument of
        /// the condition.
        func page(isAscending: Bool) -> String {
            let key = isInLanes ? "lane_sequence" : "ordinal"
            let common =
                "account = ?1 AND \(condition) AND \(key) \(isAscending ? ">" : "<") ?2"
                + (isInLanes ? " AND lane_sequence > 0" : "")
            let messages = common + (messagesOnly.map { " AND " + $0 } ?? "")
            return """
                SELECT \(ItemRow.columns) FROM message INDEXED BY \(messageIndex) WHERE \(messages) UNION ALL \
                SELECT \(ItemRow.operationColumns) FROM operation INDEXED BY \(operationIndex) WHERE \(common) \
                ORDER BY \(key) \(isAscending ? "ASC" : "DESC") LIMIT ?3
                """
        }
    }
}
