import CausewayModels
import CausewayRecords
import CausewayWire
import Foundation
import Testing

/// The state that a client holds of an account: read once, and kept by events alone from then on.
struct EventModel {
    /// Everything that the account can read of the hub.
    struct State: Equatable {
        struct ChannelState: Equatable {
            var record: WireRecord?
            var members: [String: WireRecord] = [:]
            var messages: [String: WireMessage] = [:]
        }

        var memberships: [String: WireRecord] = [:]
        var channels: [String: ChannelState] = [:]
    }

    let client: HubClient
    let user: String
    private(set) var state = State()
    private(set) var cursor: String

    /// Takes the cursor, reads the state, and is complete with the events from the cursor.
    ///
    /// - Parameter meanwhile: called between all requests.
    init(_ user: String, _ client: HubClient, meanwhile: () async throws -> Void = {}) async throws {
        self.user = user
        self.client = client
        cursor = try await client.eventCursor()
        try await meanwhile()
        state = try await Self.read(user, client, meanwhile: meanwhile)
    }

    // MARK: - Reading

    static func read(
        _ user: String, _ client: HubClient, meanwhile: () async throws -> Void = {}
    ) async throws -> State {
        var state = State()
        for record in try await list(of: ChannelMember.kind, "byUser", user, client) {
            state.memberships[record.id] = record
            try await meanwhile()
            let channel = String(record.id.split(separator: "/")[0])
            state.channels[channel] = try await read(channel, client, meanwhile: meanwhile)
        }
        return state
    }

    /// - Returns: `nil` for a channel that the account can read no more.
    private static func read(
        _ channel: String, _ client: HubClient, meanwhile: () async throws -> Void = {}
    ) async throws -> State.ChannelState? {
        do {
            var state = State.ChannelState()
            let answer = try await client.get(WireProtocol.recordPath("channel", channel))
            guard answer.status == 200 else { return nil }
            state.record = try answer.decoded(WireRecord.self)
            try await meanwhile()
            for message in try await client.messages(in: channel, pageSize: 20) {
                state.messages[message.id.description] = message
            }
            try await meanwhile()
            for member in try await list(of: ChannelMember.kind, "byChannel", channel, client) {
                state.members[member.id] = member
            }
            return state
        } catch let error as HubClient.Unexpected where error.status == 404 {
            return nil
        }
    }

    private static func list(
        of kind: RecordKind, _ name: String, _ scope: String, _ client: HubClient
    ) async throws -> [WireRecord] {
        let path = WireProtocol.recordsPath(kind.value) + "?list=\(name)&scope=\(scope)&limit=1000"
        let answer = try await client.get(path)
        guard answer.status == 200 else { throw HubClient.Unexpected(status: answer.status, text: answer.text) }
        return try answer.decoded(WireRecordPage.self).items
    }

    // MARK: - Events

    /// Reads events up to the end, by parts of this many records.
    mutating func catchUp(by limit: Int, meanwhile: () async throws -> Void = {}) async throws {
        while true {
            let part = try await client.events("cursor=\(cursor)&limit=\(limit)")
            #expect(!part.isReset)
            for event in part.events { try apply(event) }
            for topic in part.limited {
                try await meanwhile()
                let channel = String(topic.dropFirst("channel:".count))
                state.channels[channel] = try await Self.read(channel, client, meanwhile: meanwhile)
            }
            cursor = part.cursor
            if part.isUpToDate { return }
            try await meanwhile()
        }
    }

    private mutating func apply(_ event: WireEvent) throws {
        let record = event.value.flatMap { value in
            RecordKind(event.kind).map { WireRecord(kind: $0, id: event.id, version: event.version, value: value) }
        }
        if event.topic == "account" {
            #expect(event.kind == "channelMember")
            state.memberships[event.id] = record
            // Nothing more is read of the channel; what the client keeps of it is not known to be true.
            if record == nil { state.channels[String(event.id.split(separator: "/")[0])] = nil }
            return
        }
        #expect(event.topic.hasPrefix("channel:"))
        let channel = String(event.topic.dropFirst("channel:".count))
        // Of a channel that was joined later, which will be read then.
        guard state.channels[channel] != nil else { return }
        switch event.kind {
        case "message":
            let data = try event.value.map { try JSONEncoder().encode($0) }
            state.channels[channel]?.messages[event.id] = try data.map {
                try JSONDecoder().decode(WireMessage.self, from: $0)
            }
        case "channel": state.channels[channel]?.record = record
        case "channelMember": state.channels[channel]?.members[event.id] = record
        default: Issue.record("an unknown kind: \(event.kind)")
        }
    }
}
