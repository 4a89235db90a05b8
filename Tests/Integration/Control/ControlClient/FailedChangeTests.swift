import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayControlClient
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Failed edits and reactions: they are listed beside failed messages, in words of their own, and not counted as
/// messages.
@Suite struct FailedChangeTests {
    private let general: ChannelID
    private let terminal = Terminal(environment: ["NO_COLOR": "1"])

    init() throws { general = try #require(ChannelID("general")) }

    /// A delivered message, whose edit and reaction the server refuses, and a refused message.
    private func failed(in world: ControlWorld) async throws -> (message: MessageID, refused: MessageID) {
        let sent = try await world.client.send([OutgoingMessage(channel: general, text: "hi")]).ids
        let message = try #require(sent.first)
        #expect(try await world.result(of: message).outcome == .delivered)
        world.remote.set(.refusing(code: "forbidden", detail: "the channel is closed"))
        _ = try await world.client.edit(message, EditRequest(text: "hello"))
        _ = try await world.client.react(message, ReactionRequest(name: "wave", isAdded: true))
        let refused = try #require(
            try await world.client.send([OutgoingMessage(channel: general, text: "ho")]).ids.first)
        try await Eventually.holds("all have failed") { try await world.client.status().counts.error == 3 }
        return (message, refused)
    }

    @Test func theListSaysTheMessageTheReasonAndTheRemedy() async throws {
        try await ControlWorld.run { world in
            let (message, _) = try await failed(in: world)
            let list = try await world.client.failed(in: nil, PageRange())
            #expect(list.messages.map(\.role) == ["edit", "addReaction", nil])
            let reason = "refused by the server: the channel is closed; "
            let remedy = "resend it if the server accepts it now, or delete it"
            for listing in [MessageListing.failed, MessageListing.outbox] {
                let lines = listing(list.messages, terminal)
                let notes = lines.filter { $0.hasPrefix("    ") }.map { $0.trimmingCharacters(in: .whitespaces) }
                let rest = ": its message then stays as it is on the server"
                #expect(
                    notes == [
                        "edit of message \(message), \(reason)\(remedy)\(rest)",
                        "reaction to message \(message), \(reason)\(remedy)\(rest)", reason + remedy,
                    ])
                #expect(lines.contains { $0.contains("[reaction] wave") })
            }
            let details = MessageDetails.lines(list.messages[0], for: terminal)
            #expect(details.contains { $0.hasPrefix("edits ") && $0.contains("\(message)") })
            #expect(details.contains { $0.hasPrefix("to do ") && $0.contains(remedy) })
        }
    }

    /// Some names are as long as their column, or longer.
    @Test func everyFactIsApartFromItsName() async throws {
        try await ControlWorld.run { world in
            let sent = try await world.client.send([OutgoingMessage(channel: general, text: "hi")]).ids
            let message = try #require(sent.first)
            #expect(try await world.result(of: message).outcome == .delivered)
            _ = try await world.client.react(message, ReactionRequest(name: "wave", isAdded: true))
            try await Eventually.holds("the reaction is there") {
                try await world.client.status().counts.undelivered == 0
            }
            try await world.client.setPaused(true)
            _ = try await world.client.react(message, ReactionRequest(name: "wave", isAdded: false))
            let removal = try #require(try await world.client.outbox(PageRange()).messages.first)
            let details = MessageDetails.lines(removal, for: terminal)
            #expect(details.contains("removes a reaction from \(message)"))
            try await Eventually.holds("the lane is apart from its depth") {
                let lines = MessageDetails.lines(try await world.client.status(), for: terminal)
                return lines.contains { $0.hasPrefix("lane operations 1") }
            }
        }
    }

    @Test func theStatusCountsThemApartFromMessages() async throws {
        try await ControlWorld.run { world in
            _ = try await failed(in: world)
            let status = try await world.client.status()
            #expect(status.counts.failed == OperationCount(messages: 1, changes: 2))
            let lines = MessageDetails.lines(status, for: terminal)
            #expect(lines.contains { $0.contains(", 1 failed message and 2 failed edits and reactions, ") })
            // An older daemon does not distinguish them.
            let text = String(decoding: try JSONEncoder().encode(status), as: UTF8.self)
                .replacing(#""failedMessages":1,"#, with: "").replacing(#","failedMessages":1"#, with: "")
            let older = try JSONDecoder().decode(StatusResponse.self, from: Data(text.utf8))
            #expect(older.counts.failedMessages == nil && older.counts.failed == OperationCount(messages: 3))
        }
    }

    @Test func reportsCountThemApartFromMessages() async throws {
        try await ControlWorld.run { world in
            let (_, refused) = try await failed(in: world)
            let list = try await world.client.failed(in: nil, PageRange()).messages
            let two = try await world.client.resend([list[0].id, refused])
            #expect(two.operations == OperationCount(messages: 1, changes: 1))
            try await Eventually.holds("all have failed") { try await world.client.status().counts.error == 3 }
            let resent = try await world.client.resendFailed(in: general)
            #expect(resent.operations == OperationCount(messages: 1, changes: 2))
            try await Eventually.holds("all have failed") { try await world.client.status().counts.error == 3 }
            let one = try await world.client.delete([list[1].id], by: .cli)
            #expect(one.operations == OperationCount(changes: 1))
            let rest = try await world.client.deleteFailed(in: nil, by: .cli)
            #expect(rest.count == 2 && rest.operations == OperationCount(messages: 1, changes: 1))
            #expect(rest.operations.text("failed") == "1 failed message and 1 failed edit or reaction")
            #expect(try await world.client.status().counts.error == 0)
        }
    }

    /// The list of past deletions, as JSON and on a terminal.
    @Test func deletedOnesAreListedAsSuch() async throws {
        try await ControlWorld.run { world in
            let (message, refused) = try await failed(in: world)
            let ids = try await world.client.failed(in: nil, PageRange()).messages.map(\.id)
            _ = try await world.client.deleteFailed(in: nil, by: .cli)
            let actions = try await world.client.deleteActions(limit: 9, before: nil).actions
            let listed = Dictionary(uniqueKeysWithValues: actions.map { ($0.message, $0) })
            #expect(Set(listed.keys) == Set(ids))
            #expect(ids.map { listed[$0]?.role } == ["edit", "addReaction", nil])
            #expect(ids.map { listed[$0]?.related } == [message, message, nil])
            let lines = MessageListing.deleteActions(actions, for: terminal)
            #expect(lines[0].split(separator: " ") == ["#", "WHEN", "BY", "ID", "CHANNEL", "WAS", "LAST", "ERROR"])
            for (id, note) in zip(ids, ["edit of message \(message)", "reaction to message \(message)", nil]) {
                let row = try #require(lines.firstIndex { $0.contains(id.description) })
                let next = lines.dropFirst(row + 1).first.map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(note == nil ? next?.contains("message") != true : next == note)
            }
            #expect(listed[refused]?.failure?.detail == "the channel is closed")
            // An older daemon does not distinguish them.
            let text =
                #"{"sequence":1,"at":"x","atMs":1,"by":"cli","message":"\#(message)","channel":"general","#
                + #""type":"text","state":"error"}"#
            let older = try JSONDecoder().decode(DeleteActionDTO.self, from: Data(text.utf8))
            #expect(older.role == nil && older.related == nil && older.changeName == nil)
        }
    }

    @Test func numbersAreWords() {
        #expect(OperationCount().text() == "0 messages")
        #expect(OperationCount(messages: 1).text("failed") == "1 failed message")
        #expect(OperationCount(changes: 1).text() == "1 edit or reaction")
        #expect(OperationCount(messages: 2, changes: 3).text() == "2 messages and 3 edits and reactions")
    }
}
