package import CausewayModels
internal import GRDB

extension HubStore {
    /// Makes a channel unless it is there.
    ///
    /// - Returns: the channel, and whether this call made it.
    /// - Throws: `tooMany`.
    package func addChannel(_ id: ChannelID) async throws(HubError) -> (channel: Channel, isNew: Bool) {
        // An idempotent PUT of what is there should not wait for the writer.
        if let channel = try await channel(id) { return (channel, false) }
        let now = now().milliseconds
        return try await write { db in
            if let channel = try Self.channel(id, db) { return (channel, false) }
            let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM channel") ?? 0
            guard last < HubLimits.channelsMax else {
                throw HubError.tooMany(kind: "channel", limit: HubLimits.channelsMax)
            }
            try db.execute(
                sql: "INSERT INTO channel (name, created_at) VALUES (?, ?)", arguments: [id.value, now])
            return (Channel(id: id, lastPosition: 0), true)
        }
    }

    /// The channel; nil when there is none of this name.
    package func channel(_ id: ChannelID) async throws(HubError) -> Channel? {
        try await read { db in try Self.channel(id, db) }
    }

    /// All channels by name; at most `HubLimits.channelsMax`.
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
