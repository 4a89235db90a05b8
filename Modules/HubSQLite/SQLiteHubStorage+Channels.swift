package import CausewayHubStorage
package import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    package func addChannel(
        _ id: ChannelID, creator: Int64?, at time: Timestamp
    ) async throws(HubStorageError) -> (channel: Channel, isNew: Bool) {
        // An idempotent request for an existing channel should not wait for the writer.
        if let channel = try await channel(id) { return (channel, false) }
        return try await write { db in
            if let channel = try Self.channel(id, db) { return (channel, false) }
            let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM channel") ?? 0
            guard all < HubStorageLimits.channelsMax else {
                throw HubStorageError.tooMany(kind: "channel", limit: HubStorageLimits.channelsMax)
            }
            if let creator {
                let own = try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM channel WHERE creator = ?", arguments: [creator])
                guard own ?? 0 < HubStorageLimits.channelsPerAccountMax else {
                    throw HubStorageError.tooMany(
                        kind: "channel of one account", limit: HubStorageLimits.channelsPerAccountMax)
                }
            }
            let floor = try Self.floor(db)
            var insertion = try SQLStatement(
                "INSERT INTO channel (name, created_at, creator, last_position) VALUES (?, ?, ?, ?)", db)
            insertion.bind(id.value)
            insertion.bind(time)
            insertion.bind(creator)
            insertion.bind(floor)
            try insertion.run()
            return (Channel(id: id, lastPosition: floor), true)
        }
    }

    package func removeChannel(_ id: ChannelID) async throws(HubStorageError) {
        try await write { db in
            var found = try SQLStatement(
                """
                SELECT number, EXISTS (SELECT 1 FROM message WHERE channel = channel.number) FROM channel
                WHERE name = ?
                """, db)
            found.bind(id.value)
            guard try found.step() else { throw HubStorageError.unknownChannel(name: id.value) }
            guard !found.flag(1) else { throw HubStorageError.channelInUse(name: id.value) }
            var removal = try SQLStatement("DELETE FROM channel WHERE number = ?", db)
            removal.bind(found.number(0))
            found.again()
            try removal.run()
        }
    }

    package func channel(_ id: ChannelID) async throws(HubStorageError) -> Channel? {
        try await read { db in try Self.channel(id, db) }
    }

    package func channels() async throws(HubStorageError) -> [Channel] {
        try await read { db in
            var row = try SQLStatement("SELECT name, last_position FROM channel ORDER BY name", db)
            var channels: [Channel] = []
            while try row.step() {
                guard let id = row.text(0).flatMap(ChannelID.init) else { continue }
                channels.append(Channel(id: id, lastPosition: row.number(1)))
            }
            return channels
        }
    }

    private static func channel(_ id: ChannelID, _ db: Database) throws -> Channel? {
        var row = try SQLStatement("SELECT last_position FROM channel WHERE name = ?", db)
        row.bind(id.value)
        return try row.step() ? Channel(id: id, lastPosition: row.number(0)) : nil
    }
}
