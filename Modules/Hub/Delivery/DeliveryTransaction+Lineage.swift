internal import CausewayHubRules
internal import CausewayModels
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The stored state of outboxes and their lanes.
extension DeliveryTransaction {
    func loadOutbox() throws -> (number: Int64, lineage: LineageRules) {
        let key = Data(delivery.outbox.value.bytes)
        let statement = try db.cachedStatement(
            sql: "SELECT number, epoch, opening FROM outbox WHERE account = ? AND id = ?")
        if let row = try Row.fetchOne(statement, arguments: [account.number, key]) {
            return (row[0], LineageRules(highest: row[1], opening: Self.opening(row[2])))
        }
        try db.cachedStatement(sql: "INSERT INTO outbox (account, id, epoch) VALUES (?, ?, 0)")
            .execute(arguments: [account.number, key])
        return (db.lastInsertedRowID, LineageRules(highest: 0, opening: nil))
    }

    func store(_ lineage: LineageRules, outbox: Int64) throws {
        try db.cachedStatement(sql: "UPDATE outbox SET epoch = ?, opening = ? WHERE number = ?")
            .execute(arguments: [lineage.highest, lineage.opening.map(Self.key), outbox])
    }

    /// Returns the lane's mark and the opening that moved it last.
    func loadMark(outbox: Int64) throws -> (mark: Int64, mover: OpeningID?)? {
        let statement = try db.cachedStatement(sql: "SELECT mark, mover FROM lane WHERE outbox = ? AND name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [outbox, delivery.lane.rawValue]) else { return nil }
        return (row[0], Self.opening(row[1]))
    }

    func store(mark: Int64, outbox: Int64, commit: Int64) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO lane (outbox, name, mark, mover, changed_in) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (outbox, name) DO UPDATE
                    SET mark = excluded.mark, mover = excluded.mover, changed_in = excluded.changed_in
                """)
        try statement.execute(
            arguments: [outbox, delivery.lane.rawValue, mark, delivery.claim.opening.map(Self.key), commit])
    }

    /// Records a change below the mark.
    func noteChange(outbox: Int64, commit: Int64) throws {
        try db.cachedStatement(sql: "UPDATE lane SET changed_in = ? WHERE outbox = ? AND name = ?")
            .execute(arguments: [commit, outbox, delivery.lane.rawValue])
    }

    func isBarred(outbox: Int64) throws -> Bool {
        guard let opening = delivery.claim.opening else { return false }
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM barred_opening WHERE outbox = ? AND opening = ?")
        return try Row.fetchOne(statement, arguments: [outbox, Self.key(opening)]) != nil
    }

    func bar(outbox: Int64) throws {
        guard let opening = delivery.claim.opening else { return }
        try db.cachedStatement(sql: "INSERT INTO barred_opening (outbox, opening) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .execute(arguments: [outbox, Self.key(opening)])
    }

    private static func key(_ opening: OpeningID) -> Data { Data(opening.value.bytes) }

    private static func opening(_ blob: Data?) -> OpeningID? {
        guard let blob, blob.count == 16 else { return nil }
        let halves = blob.reduce(into: (high: UInt64(0), low: UInt64(0))) { halves, byte in
            halves.high = halves.high << 8 | halves.low >> 56
            halves.low = halves.low << 8 | UInt64(byte)
        }
        return OpeningID(UUIDv7(high: halves.high, low: halves.low))
    }
}
