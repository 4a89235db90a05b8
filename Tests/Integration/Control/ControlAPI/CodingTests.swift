import Causeway
import CausewayCommandLine
import CausewayControlAPI
import Foundation
import Testing

/// The JSON that other programs rely on. These texts are never edited, only added to.
@Suite struct CodingTests {
    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try ControlJSON.encode(value), as: UTF8.self)
    }

    private func message(_ state: SyncState, failure: Failure? = nil) throws -> Message {
        Message(
            id: try #require(MessageID("0190a6b2-1c3d-7e4f-8a5b-000000000001")), channel: try #require(ChannelID("c")),
            sender: try #require(UserID("ann")), content: .text("hi"), createdAt: Timestamp(milliseconds: 1000),
            ordinal: 1, lane: .text, laneSequence: 1, syncState: state, failure: failure)
    }

    @Test func aWaitingMessage() throws {
        let wait = WaitReason.backingOff(until: Timestamp(milliseconds: 6000), attempts: 2)
        #expect(
            try json(MessageDTO(try message(.created), wait: wait)) == """
                {"attempts":0,"channel":"c","createdAt":"1970-01-01T00:00:01.000Z","createdAtMs":1000,\
                "id":"0190a6b2-1c3d-7e4f-8a5b-000000000001","inDoubt":false,"lane":"text","ordinal":1,\
                "place":1,"sender":"ann",\
                "state":"created","states":{"android":"created","classic":"default","ios":"syncing",\
                "typescript":"syncing"},"text":"hi","type":"text",\
                "wait":{"attempts":2,"kind":"backingOff","until":"1970-01-01T00:00:06.000Z","untilMs":6000},\
                "waitText":"attempt 2 failed; trying again at 1970-01-01T00:00:06.000Z"}
                """)
    }

    @Test func aMessageInTheOutboxHasItsTags() throws {
        let created = try message(.created)
        let operation = QueuedOperation(
            id: created.id, channel: created.channel, sender: created.sender,
            payload: .create(created.content, parent: nil, tags: ["urgent"]), createdAt: created.createdAt, ordinal: 1,
            delivery: created.delivery)
        #expect(MessageDTO(operation).tags == ["urgent"])
    }

    @Test func aPageOfRecords() throws {
        let fields = JSONValue.object(["role": .string("owner")])
        let record = RecordDTO(kind: "channelMember", id: "c/ann", version: 3, value: fields)
        let next = ListCursor(key: ListKey("k"), id: "c/ann")
        #expect(
            try json(RecordPageResponse([record], next: next, refreshed: true)) == """
                {"next":"6b-632f616e6e","records":[{"id":"c/ann","kind":"channelMember",\
                "value":{"role":"owner"},"version":3}],"refreshed":true}
                """)
        #expect(
            try json(RecordPageResponse([], next: nil, refreshed: false, refreshProblem: "x"))
                == #"{"records":[],"refreshProblem":"x","refreshed":false}"#)
    }

    @Test func aWriteToARecord() throws {
        let write = RecordWrite(
            kind: "channelMember", record: "c/bob", action: "add", arguments: .object(["role": .string("member")]))
        let text = #"{"action":"add","arguments":{"role":"member"},"id":"c/bob","kind":"channelMember"}"#
        #expect(try json(RecordWriteRequest(write)) == text)
        #expect(try JSONDecoder().decode(RecordWriteRequest.self, from: Data(text.utf8)).write == write)
        let plain = RecordWriteRequest(RecordWrite(kind: "channelMember", record: "c/bob", action: "join"))
        #expect(try json(plain) == #"{"action":"join","id":"c/bob","kind":"channelMember"}"#)
        #expect(
            try json(RecordWriteResponse(write, version: 7)) == #"{"id":"c/bob","kind":"channelMember","version":7}"#)
    }

    @Test func aFailedMessage() throws {
        let failure = Failure(
            reason: .refused, code: "channelNotFound", detail: "no such channel", at: Timestamp(milliseconds: 2000))
        #expect(
            try json(MessageDTO(try message(.error, failure: failure))) == """
                {"attempts":0,"channel":"c","createdAt":"1970-01-01T00:00:01.000Z","createdAtMs":1000,\
                "failure":{"at":"1970-01-01T00:00:02.000Z","atMs":2000,"code":"channelNotFound",\
                "detail":"no such channel","reason":"refused","text":"refused by the server: no such channel"},\
                "id":"0190a6b2-1c3d-7e4f-8a5b-000000000001","inDoubt":false,"lane":"text","ordinal":1,\
                "place":1,"sender":"ann",\
                "state":"error","states":{"android":"error","classic":"error","ios":"error","typescript":"error"},\
                "text":"hi","type":"text"}
                """)
    }

    @Test(
        arguments: [
            (WaitReason.noSession, #"{"kind":"noSession"}"#),
            (.offline(detail: "x", nextProbe: nil), #"{"detail":"x","kind":"offline"}"#),
            (
                .settling(until: Timestamp(milliseconds: 0)),
                #"{"kind":"settling","until":"1970-01-01T00:00:00.000Z","untilMs":0}"#
            ),
            (
                .rateLimited(until: Timestamp(milliseconds: 0)),
                #"{"kind":"rateLimited","until":"1970-01-01T00:00:00.000Z","untilMs":0}"#
            ),
            (
                .startingOver(until: Timestamp(milliseconds: 0)),
                #"{"kind":"startingOver","until":"1970-01-01T00:00:00.000Z","untilMs":0}"#
            ),
            (
                .actionRequired(ActionRequired(cause: .certificate, detail: "x")),
                #"{"cause":"certificate","detail":"x","kind":"needsAttention"}"#
            ),
            (
                .behindLane(.text, MessageID(UUIDv7(high: 7, low: 1))),
                #"{"kind":"behindLane","lane":"text","message":"00000000-0000-0007-0000-000000000001"}"#
            ),
            (
                .lanePaused(by: MessageID(UUIDv7(high: 7, low: 1))),
                #"{"kind":"lanePaused","message":"00000000-0000-0007-0000-000000000001"}"#
            ),
            (.uploading(sent: 1, total: 2), #"{"kind":"uploading","sent":1,"total":2}"#),
            (
                .inFlight(since: Timestamp(milliseconds: 0)),
                #"{"kind":"inFlight","since":"1970-01-01T00:00:00.000Z","sinceMs":0}"#
            ),
            (.ready, #"{"kind":"ready"}"#), (.paused, #"{"kind":"paused"}"#),
            (.storeUnavailable(detail: "x"), #"{"detail":"x","kind":"storeUnavailable"}"#),
        ])
    func everyReasonToWait(reason: WaitReason, text: String) throws {
        #expect(try json(WaitReasonDTO(reason)) == text)
    }

    @Test(arguments: ControlError.Code.allCases)
    func anErrorComesBackAsItWent(code: ControlError.Code) throws {
        let error = ControlError(code, "what \"happened\"")
        let answer = try JSONDecoder().decode(ErrorResponse.self, from: Data(json(ErrorResponse(error)).utf8))
        #expect(answer.error.error == error)
        #expect((400...599).contains(code.httpStatus))
        #expect(code.exitStatus != .ok)
    }

    @Test func anErrorOfANewerVersionIsStillAnError() throws {
        let text = #"{"error":{"code":"brandNew","detail":"x","hint":"y"}}"#
        let answer = try JSONDecoder().decode(ErrorResponse.self, from: Data(text.utf8))
        #expect(answer.error.error == ControlError(.internalError, "x"))
    }

    @Test(arguments: [MessageCursor(position: .max, ordinal: 7), MessageCursor(position: 5, ordinal: 0)])
    func aPlaceComesBackAsItWent(cursor: MessageCursor) {
        #expect(PageCursor(PageCursor(cursor).description)?.cursor == cursor)
    }

    @Test(arguments: ["", ".", "q", "q.", "x.1", "1.2.3", "1. 2"])
    func whatIsNoPlaceIsNone(text: String) { #expect(PageCursor(text) == nil) }
}
