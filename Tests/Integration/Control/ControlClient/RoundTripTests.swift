import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Every request of the control service, over a real socket.
@Suite struct RoundTripTests {
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    @Test func aMessageIsTakenDeliveredAndRead() async throws {
        try await ControlWorld.run { world in
            let report = try await world.client.send([OutgoingMessage(channel: general, text: "hi")])
            let id = try #require(report.ids.first)
            #expect(report.problem == nil)
            let result = try await world.result(of: id)
            #expect(result.outcome == .delivered)
            #expect(result.position == 1)

            let page = try await world.client.messages(ChannelQuery(channel: general))
            #expect(page.messages.map(\.id) == [id])
            #expect(page.refreshed == true)
            let message = try await world.client.message(id)
            #expect(message == page.messages[0])
            #expect(message.text == "hi")
            #expect(message.states == page.messages[0].states)
            #expect(try await world.local.message(id) == message)
            #expect(world.remote.texts == ["hi"])
        }
    }

    /// The server of this test has no channels.
    @Test func recordsAreAskedForAndWritten() async throws {
        try await ControlWorld.run { world in
            let list = RecordPageRequest(list: Channel.openToAll)
            await #expect { try await world.client.records(list) } throws: {
                ($0 as? ControlError)?.code == .refused
            }
            var stored = RecordPageRequest(list: Channel.openToAll, isDescending: true, limit: 3)
            stored.refresh = .never
            stored.after = ListCursor(key: ListKey("k"), id: "c")
            let page = try await world.client.records(stored)
            #expect(page == RecordPageResponse([], next: nil, refreshed: false))
            #expect(try await world.local.records(stored) == page)
            let join = RecordWriteRequest(RecordWrite(kind: "channelMember", record: "general/ann", action: "join"))
            await #expect { try await world.client.write(join) } throws: { ($0 as? ControlError)?.code == .refused }
            let unknown = RecordWriteRequest(RecordWrite(kind: "unicorn", record: "a", action: "join"))
            await #expect { try await world.client.write(unknown) } throws: {
                ($0 as? ControlError)?.detail == "no records of the kind unicorn; use one of channel, channelMember"
            }
        }
    }

    /// An operator must not have to read the log to find out that the store was copied.
    @Test func theStatusNamesWhatHappened() async throws {
        try await ControlWorld.run { world in
            let plain = try JSONEncoder().encode(try await world.client.status())
            let notice = #""notices":[{"kind":"storeCopied","at":0,"detail":"copied"}],"#
            let text = String(decoding: plain, as: UTF8.self).replacing("{", with: "{" + notice, maxReplacements: 1)
            let status = try JSONDecoder().decode(StatusResponse.self, from: Data(text.utf8))
            let lines = MessageDetails.lines(status, for: Terminal(environment: ["NO_COLOR": "1"]))
            let shown = lines.filter { $0.hasPrefix("notice") }
            #expect(shown.count == 1)
            #expect(shown.first?.contains("copied, at 1970-01-01") == true)
        }
    }

    /// None of these messages is sent by itself; the failed message has to be handled.
    @Test func whatWaitsForAFailedMessageCountsAsBlocked() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.refusing(code: "forbidden", detail: "not here"))
            let failed = try #require(
                try await world.client.send([OutgoingMessage(channel: general, text: "a")]).ids.first)
            #expect(try await world.result(of: failed).outcome == .failed)
            let reply = OutgoingMessage(channel: general, text: "b", parent: failed)
            let blocked = try #require(try await world.client.send([reply]).ids.first)
            _ = try await world.client.react(blocked, ReactionRequest(name: "wave", isAdded: true))
            let status = try await world.client.status()
            #expect(status.counts.blocked == 2, "also what waits for what waits")
            #expect(status.counts.waiting == 0)
            let lines = MessageDetails.lines(status, for: Terminal(environment: ["NO_COLOR": "1"]))
            #expect(lines.contains { $0.contains("0 waiting, 2 blocked by failed messages, 1 failed message,") })

            world.remote.set(.working)
            _ = try await world.client.resend([failed])
            #expect(try await world.result(of: blocked).outcome == .delivered)
            try await Eventually.holds("nothing is left") {
                let counts = try await world.client.status().counts
                return counts.undelivered == 0 && counts.blocked == 0
            }
        }
    }

    @Test func anOlderDaemonTellsOfNothingBlocked() async throws {
        try await ControlWorld.run { world in
            let plain = try JSONEncoder().encode(try await world.client.status())
            let text = String(decoding: plain, as: UTF8.self).replacing(#""blocked":0,"#, with: "")
                .replacing(#","blocked":0"#, with: "")
            #expect(!text.contains("blocked"))
            let status = try JSONDecoder().decode(StatusResponse.self, from: Data(text.utf8))
            #expect(status.counts.blocked == nil)
            #expect(status.counts.waiting == 0)
        }
    }

    @Test func aMessageIsEditedAnsweredAndReactedTo() async throws {
        try await ControlWorld.run { world in
            try await world.client.setPaused(true)
            let first = try #require(
                try await world.client.send([OutgoingMessage(channel: general, text: "hi")]).ids.first)
            let reply = OutgoingMessage(channel: general, text: "ho", parent: first)
            let second = try #require(try await world.client.send([reply]).ids.first)
            #expect(try await world.client.edit(first, EditRequest(text: "hello")).text == "hello")
            let reacted = try await world.client.react(first, ReactionRequest(name: "wave", isAdded: true))
            #expect(reacted.reactions == ["wave": 1])
            #expect(reacted.myReactions == ["wave"])
            let outbox = try await world.client.outbox(PageRange()).messages
            #expect(outbox.map(\.role) == [nil, "reply", "addReaction"])
            #expect(outbox.map(\.related) == [nil, first, first])
            #expect(outbox[2].wait?.kind == "parked")
            #expect(try await world.client.react(first, ReactionRequest(name: "wave", isAdded: false)).reactions == nil)
            try await world.client.setPaused(false)
            #expect(try await world.result(of: second).outcome == .delivered)
            #expect(world.remote.texts == ["hello", "ho"])
            let states = try await world.client.message(first).history?.map(\.state)
            #expect(states == ["syncing", "synced"])
            do throws(ControlError) {
                _ = try await world.client.edit(first, EditRequest(text: "a", custom: .object([:])))
                Issue.record("both at once cannot be meant")
            } catch {
                #expect(error.code == .badRequest)
            }
        }
    }

    @Test func whatWaitsSaysWhyInPartsAndInWords() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.unreachable)
            try await world.client.probe()
            let ids = try await world.client.send(
                ["a", "b"].map { OutgoingMessage(channel: general, text: $0) }
            ).ids
            try await Eventually.holds("offline") { try await world.client.status().connectivity.state == "offline" }
            let outbox = try await world.client.outbox(PageRange()).messages
            #expect(outbox.map(\.id) == ids)
            for message in outbox {
                #expect(message.wait?.kind == "offline")
                #expect(message.wait?.detail == "nobody listens there")
                #expect(message.waitText?.hasPrefix("offline: nobody listens there") == true)
            }
            let waiting = try await world.client.result(of: ids[0], within: .zero)
            #expect(waiting.outcome == .waiting)
            #expect(waiting.wait?.kind == "offline")

            world.remote.set(.working)
            try await world.client.probe()
            for id in ids {
                #expect(try await world.result(of: id).outcome == .delivered)
            }
            #expect(world.remote.texts == ["a", "b"])
        }
    }

    @Test func failedMessagesAreListedResentAndDeleted() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.refusing(code: "channelNotFound", detail: "no such channel"))
            let ids = try await world.client.send(
                (1...3).map { OutgoingMessage(channel: general, text: "m\($0)") }
            ).ids
            for id in ids {
                let result = try await world.result(of: id)
                #expect(result.outcome == .failed)
                #expect(result.failure?.text == "refused by the server: no such channel")
            }
            #expect(try await world.client.failed(in: general, PageRange()).messages.map(\.id) == ids)
            #expect(try await world.client.failed(in: ChannelID("other"), PageRange()).messages.isEmpty)

            let deleted = try await world.client.delete([ids[0]], by: .cli)
            #expect(deleted.ids == [ids[0]])
            let actions = try await world.client.deleteActions(limit: 10, before: nil).actions
            #expect(actions.map(\.message) == [ids[0]])
            #expect(actions.first?.by == "cli")
            #expect(actions.first?.failure?.code == "channelNotFound")

            world.remote.set(.working)
            #expect(try await world.client.resend([ids[1], ids[0]]).ids == [ids[1]])
            #expect(try await world.result(of: ids[1]).outcome == .delivered)
            #expect(try await world.client.resend([ids[1]]).count == 0)
            #expect(try await world.client.deleteFailed(in: nil, by: .statusPage).count == 1)
            #expect(try await world.client.failed(in: nil, PageRange()).messages.isEmpty)
            #expect(try await world.client.deleteActions(limit: 1, before: nil).actions.map(\.by) == ["statusPage"])
        }
    }

    /// The message's record in the store cannot be read any more.
    @Test func aDamagedMessageIsListedWithItsReasonAndDeleted() async throws {
        try await ControlWorld.run { world in
            try await world.client.setPaused(true)
            let ids = try await world.client.send(
                (1...3).map { OutgoingMessage(channel: general, text: "m\($0)") }
            ).ids
            world.store.damage(ids[1])
            #expect(try await world.client.outbox(PageRange()).messages.map(\.id) == ids)
            try await world.client.setPaused(false)
            for id in [ids[0], ids[2]] {
                #expect(try await world.result(of: id).outcome == .delivered)
            }
            let result = try await world.result(of: ids[1])
            #expect(result.outcome == .failed)
            #expect(result.failure?.text.isEmpty == false)
            #expect(try await world.client.failed(in: nil, PageRange()).messages.map(\.id) == [ids[1]])
            #expect(try await world.client.delete([ids[1]], by: .cli).ids == [ids[1]])
            #expect(try await world.client.failed(in: nil, PageRange()).messages.isEmpty)
            #expect(world.remote.texts == ["m1", "m3"])
        }
    }

    @Test func allFailedMessagesGoBackInTheirOrder() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.refusing(code: "no", detail: "no"))
            let ids = try await world.client.send(
                (1...5).map { OutgoingMessage(channel: general, text: "m\($0)") }
            ).ids
            for id in ids { _ = try await world.result(of: id) }
            world.remote.set(.working)
            #expect(try await world.client.resendFailed(in: nil).count == 5)
            for id in ids {
                #expect(try await world.result(of: id).outcome == .delivered)
            }
            #expect(world.remote.order == ids)
        }
    }

    @Test func aPausedOutboxTakesMessagesAndSendsNone() async throws {
        try await ControlWorld.run { world in
            try await world.client.setPaused(true)
            let ids = try await world.client.send([OutgoingMessage(channel: general, text: "later")]).ids
            #expect(try await world.client.result(of: ids[0], within: .milliseconds(50)).wait?.kind == "paused")
            #expect(try await world.client.status().paused)
            #expect(world.remote.texts.isEmpty)
            try await world.client.setPaused(false)
            #expect(try await world.result(of: ids[0]).outcome == .delivered)
        }
    }

    @Test func aRefusedTokenFailsNothingAndANewLoginSendsAll() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.refusingToken)
            let ids = try await world.client.send([OutgoingMessage(channel: general, text: "x")]).ids
            try await Eventually.holds("attention") { try await world.client.status().attention != nil }
            #expect(try await world.client.status().attention?.cause == .tokenRefused)
            #expect(try await world.client.message(ids[0]).state == "created")
            await #expect(throws: ControlError(.tokenRefused, "the token is refused")) {
                _ = try await world.client.login(ControlWorld.login)
            }
            world.remote.set(.working)
            _ = try await world.client.login(ControlWorld.login)
            #expect(try await world.result(of: ids[0]).outcome == .delivered)
        }
    }

    @Test func logoutSaysHowManyWereUnsent() async throws {
        try await ControlWorld.run { world in
            world.remote.set(.unreachable)
            _ = try await world.client.send((1...3).map { OutgoingMessage(channel: general, text: "m\($0)") })
            #expect(try await world.client.logout().unsent == 3)
            await #expect(throws: ControlError.self) { _ = try await world.client.logout() }
            do throws(ControlError) {
                _ = try await world.client.send([OutgoingMessage(channel: general, text: "x")])
                Issue.record("nobody is logged in")
            } catch {
                #expect(error.code == .noSession)
            }
        }
    }

    @Test func theTokenArrivesAndComesBackNowhere() async throws {
        try await ControlWorld.run(loggedIn: false) { world in
            let session = try await world.client.login(ControlWorld.login)
            #expect(world.remote.tokens == [ControlWorld.login.token])
            let answers = [
                String(decoding: try ControlJSON.encode(session), as: UTF8.self),
                String(decoding: try ControlJSON.encode(try await world.client.status()), as: UTF8.self),
                "\(ControlWorld.login)",
            ]
            for answer in answers { #expect(!answer.contains(ControlWorld.token)) }
        }
    }
}
