package import CausewayModels
internal import GRDB

extension HubStore {
    /// Creates a channel unless it exists.
    ///
    /// - Parameter account: the requesting account; `nil` for the hub's operator, who is not limited.
    /// - Returns: the channel, and whether this call created it.
    /// - Throws: `tooMany`.
    package func addChannel(
        _ id: ChannelID, of account: Account? = nil
    ) async throws(HubError) -> (channel: Channel, isNew: Bool) {
        // An idempotent PUT of an existing channel should not wait for the writer.
        if let channel = try await channel(id) { return (channel, false) }
        let now = now().milliseconds
        return try await write { db in
            if let channel = try Self.channel(id, db) { return (channel, false) }
            let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM channel") ?? 0
            guard all < HubLimits.channelsMax else {
                throw HubError.tooMany(kind: "channel", limit: HubLimits.channelsMax)
            }
            if let account {
                let own = try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM channel WHERE creator = ?", arguments: [account.number])
                guard own ?? 0 < HubLimits.channelsPerAccountMax else {
                    throw HubError.tooMany(kind: "channel of one account", limit: HubLimits.channelsPerAccountMax)
                }
            }
            let floor = try Self.floor(db)
            try db.execute(
                sql: "INSERT INTO channel (name, created_at, creator, last_position) VALUES (?, ?, ?, ?)",
                arguments: [id.value, now, account?.number, floor])
            return (Channel(id: id, lastPosition: floor), true)
        }
    }

    /// Removes a channel that never had a message.
    ///
    /// A channel that had messages stays: its positions and messages are kept for ever.
    ///
    /// - Throws: `unknownChannel`, `channelInUse`.
    package func removeChannel(_ id: ChannelID) async throws(HubError) {
        try await write { db in
            guard try Self.channel(id, db) != nil else { throw HubError.unknownChannel(name: id.value) }
            let hasMessages = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM message WHERE channel = (SELECT number FROM channel WHERE name = ?))
                    """, arguments: [id.value])
            guard hasMessages == false else { throw HubError.channelInUse(name: id.value) }
            try db.execute(sql: "DELETE FROM channel WHERE name = ?", arguments: [id.value])
        }
    }

    /// Returns the channel; `nil` when there is none with this name.
    package func channel(_ id: ChannelID) async throws(HubError) -> Channel? {
        try await read { db in try Self.channel(id, db) }
    }

    /// Returns all channels by name; at most `HubLimits.channelsMax`.
    package func channels() async throws(HubError) -> [Channel] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT name, last_position FROM channel ORDER BY name").compactMap { row in
                ChannelID(row[0]).map { Channel(id: $0, lastPosition: row[1]) }
            }
        }
    }

    private static func channel(_ id: ChannelID, _ db: Database) throws -> Channel? {
        let statement = try db.cachedStatement(sql: "SELECT last_position FROM channel WHERE name = ?")
        return try Int64.fetchOne(statement, arguments: [id.value]).map { Channel(id: id, lastPosition: $0) }
    }
}
