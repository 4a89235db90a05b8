internal import CausewayHubRules
internal import CausewayModels
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Edits and reactions: the id of each is stored for ever, so that it is applied only once.
extension DeliveryTransaction {
    /// Returns the edit or the reaction that was accepted under this id.
    func accepted(_ id: MessageID) throws -> Stored? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT operation.number, operation.sender, message.position, operation.accepted_at
                FROM operation JOIN message ON message.number = operation.message WHERE operation.id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [Data(id.value.bytes)]) else { return nil }
        return Stored(
            number: row[0], sender: row[1],
            serverPosition: ServerPosition(position: row[2], acceptedAt: Timestamp(milliseconds: row[3])),
            isDeleted: false)
    }

    func verdict(onReactingTo target: MessageID, _ name: String, _ isAdded: Bool) throws -> LaneRules.Verdict {
        guard let stored = try message(target) else { return unrelated(target) }
        if stored.isDeleted { return deleted(target) }
        guard isAdded else { return .fine }
        let statement = try db.cachedStatement(
            sql: "SELECT count(DISTINCT name) FROM reaction WHERE message = ? AND name <> ?")
        let others = try Int.fetchOne(statement, arguments: [stored.number, name]) ?? 0
        return others < HubLimits.reactionNamesMax
            ? .fine
            : .refuse(
                code: "tooManyReactions", detail: "message \(target) already has \(others) different reactions")
    }

    private func unrelated(_ target: MessageID) -> LaneRules.Verdict {
        .unrelated(detail: "message \(target) is not on this hub")
    }

    private func deleted(_ target: MessageID) -> LaneRules.Verdict {
        .refuse(code: "messageDeleted", detail: "message \(target) was deleted")
    }

    func verdict(onEditing target: MessageID, to type: MessageType) throws -> LaneRules.Verdict {
        guard let stored = try message(target) else { return unrelated(target) }
        if stored.isDeleted { return deleted(target) }
        if stored.sender != account.number {
            return .refuse(code: "notYours", detail: "message \(target) was sent by another account")
        }
        guard try storedType(of: stored.number) == type.name else {
            return .refuse(code: "typeDiffers", detail: "an edit cannot change the type of message \(target)")
        }
        return .fine
    }

    /// The type of a message's content. SQLite extracts it without building the rest.
    private func storedType(of number: Int64) throws -> String? {
        let statement = try db.cachedStatement(sql: "SELECT content ->> '$.type' FROM message WHERE number = ?")
        return try String.fetchOne(statement, arguments: [number])
    }

    mutating func edit(_ target: MessageID, _ content: String, as id: MessageID) throws -> DeliveryOutcome {
        let time = try noteChange(of: target)
        let statement = try db.cachedStatement(sql: "UPDATE message SET content = ?, edited_at = ? WHERE id = ?")
        try statement.execute(arguments: [content, time.milliseconds, Data(target.value.bytes)])
        return try remember(id, target, at: time)
    }

    mutating func react(_ target: MessageID, _ name: String, _ isAdded: Bool, as id: MessageID) throws
        -> DeliveryOutcome
    {
        let sql =
            isAdded
            ? """
            INSERT INTO reaction (message, name, account) SELECT number, ?, ? FROM message WHERE id = ?
            ON CONFLICT DO NOTHING
            """
            : """
            DELETE FROM reaction WHERE name = ? AND account = ?
            AND message = (SELECT number FROM message WHERE id = ?)
            """
        try db.cachedStatement(sql: sql).execute(arguments: [name, account.number, Data(target.value.bytes)])
        return try remember(id, target, at: try noteChange(of: target))
    }

    /// Times of a message's changes ascend, whatever the clock does: clients use them to tell which page is newer.
    private mutating func noteChange(of target: MessageID) throws -> Timestamp {
        let key = Data(target.value.bytes)
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT changed_at FROM message WHERE id = ?"), arguments: [key])
        let time = max(now.milliseconds, (last ?? 0) + 1)
        try db.cachedStatement(sql: "UPDATE message SET changed_at = ?, revision = ? WHERE id = ?")
            .execute(arguments: [time, try revise(), key])
        return Timestamp(milliseconds: time)
    }

    private func remember(_ id: MessageID, _ target: MessageID, at time: Timestamp) throws -> DeliveryOutcome {
        guard let stored = try message(target) else {
            preconditionFailure("Only an operation on a message that is here is found fine.")
        }
        try db.cachedStatement(sql: "INSERT INTO operation (id, sender, message, accepted_at) VALUES (?, ?, ?, ?)")
            .execute(arguments: [Data(id.value.bytes), account.number, stored.number, time.milliseconds])
        return .accepted(ServerPosition(position: stored.serverPosition.position, acceptedAt: time))
    }
}
