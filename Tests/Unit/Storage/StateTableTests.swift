import CausewayModels
import CausewayStorage
import Foundation
import Testing

/// The state table matches the code, and the document matches the table.
@Suite struct StateTableTests {
    private static let serverPosition = ServerPosition(position: 3, acceptedAt: Timestamp(milliseconds: 3))
    private static let failure = Failure(reason: .refused, code: "no", detail: "", at: Timestamp(milliseconds: 5))
    private static let ended = Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 6))
    private static let later = Timestamp(milliseconds: 7)
    private static let id = MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0001))

    private static func channel() throws -> ChannelID { try #require(ChannelID("general")) }
    private static func user() throws -> UserID { try #require(UserID("ann")) }

    private static func message(_ state: SyncState) throws -> Message {
        Message(
            id: id, channel: try channel(), sender: try user(), displayed: MessageBody(content: content),
            createdAt: Timestamp(milliseconds: 1), ordinal: 1, lane: .text, laneSequence: 1, syncState: state,
            failure: state == .error ? failure : nil, isInDoubt: state == .error,
            serverPosition: state == .synced ? serverPosition : nil, attempts: state == .created ? 0 : 1,
            previousSequence: state == .created ? nil : 0, upload: AttachmentUpload(total: 3))
    }

    /// A media message, to which every step applies.
    private static let content = MessageContent.file(
        Attachment(name: "a", contentType: "text/plain", size: 3, sha256: String(repeating: "a", count: 64)),
        caption: nil)

    private static func placed() throws -> RemoteMessage {
        RemoteMessage(
            id: id, channel: try channel(), sender: try user(), content: .text("hi"),
            createdAt: Timestamp(milliseconds: 1), serverPosition: serverPosition)
    }

    /// The message after the step as performed by the code; `nil` if it is removed.
    private static func apply(_ step: MessageStep, to message: Message) throws -> Message? {
        switch step {
        case .attempt: message.attempted(previous: 0, attempts: 2, at: Timestamp(milliseconds: 2))
        case .requeue: message.requeued(attempts: 1, at: later)
        case .deliver: message.delivered(serverPosition, at: later)
        case .merge: message.merged(with: try placed(), at: later)
        case .fail: message.failed(failure, inDoubt: false)
        case .settle: message.settled()
        case .resend: message.resent(sequence: 9, at: later)
        case .park: message.parked(at: later)
        case .beginUpload: message.uploaded(.begin(attempts: 1), at: later)
        case .noteUpload: message.uploaded(.progress, at: later)
        case .requeueUpload: message.uploaded(.requeue(session: nil, attempts: 1), at: later)
        case .completeUpload: message.uploaded(.complete(receipt: "receipt"), at: later)
        case .startUploadAgain: message.withUploadLost()?.resent(sequence: 9, at: later) ?? message
        case .rewrite: message.rewritten(.text("other"))
        case .rebase: message.rebased(previous: 8)
        case .fork: message.forked(sequence: 9, at: later)
        case .lose: message.lost(sequence: 3, at: later).forked(sequence: 9, at: later)
        case .delete: nil
        case .endSession: message.sessionEnded(ended, sharedBelow: 0).unpaused()
        case .resume: message.resumed(at: later)
        }
    }

    @Test(arguments: SyncState.allCases, MessageStep.allCases)
    func everyStepLeadsFromEveryStateWhereTheTableSays(state: SyncState, step: MessageStep) throws {
        #expect(try Self.apply(step, to: Self.message(state))?.syncState == state.after(step))
    }

    /// The mutation that corresponds to a step; `nil` for the steps at the start of a run.
    private static func mutation(_ step: MessageStep) throws -> Mutation? {
        switch step {
        case .attempt: .attempt(id, previous: 0, attempts: 2, at: Timestamp(milliseconds: 2))
        case .requeue: .requeue(id, attempts: 1, at: later)
        case .deliver: .deliver(id, serverPosition, at: later)
        case .merge: .merge(try placed(), at: later)
        case .fail: .fail(id, failure, inDoubt: false)
        case .settle: .settle(id)
        case .resend: .resend(id, at: later)
        case .park: .park(id, failure)
        case .beginUpload: .upload(id, .begin(attempts: 1), at: later)
        case .noteUpload: .upload(id, .progress, at: later)
        case .requeueUpload: .upload(id, .requeue(session: nil, attempts: 1), at: later)
        case .completeUpload: .upload(id, .complete(receipt: "receipt"), at: later)
        case .startUploadAgain: .upload(id, .startAgain, at: later)
        case .rewrite: .rewrite(id, .text("other"))
        case .rebase: .rebase(sequence: 2, previous: 0)
        case .fork: .forkOutbox(OutboxID(id.value), at: later)
        case .lose:
            .followHistory(
                ServerHistory(server: "", id: "", commit: 0, claim: ""), OutboxID(id.value), marks: [:], at: later)
        case .delete: .delete(id)
        case .endSession: .endSession(ended)
        case .resume: nil
        }
    }

    @Test(arguments: SyncState.allCases, MessageStep.allCases)
    func aStoreGoesByTheTable(state: SyncState, step: MessageStep) async throws {
        let opening = StartOptions(
            restart: .resume, failure: Self.ended, newOutboxID: OutboxID(UUIDv7(high: 0x7000, low: 9)))
        var store = MemoryStore()
        _ = try await store.start(opening)
        let parent = MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0002))
        for (id, answered) in [(parent, nil), (Self.id, parent)] {
            let draft = MessageDraft(
                id: id, channel: try Self.channel(), sender: try Self.user(), parent: answered,
                content: Self.content, createdAt: Timestamp(milliseconds: 1), lane: .text)
            _ = try await store.enqueue(draft)
        }
        let history: [SyncState: [MessageStep]] = [
            .created: [], .uploading: [.beginUpload], .syncing: [.attempt], .synced: [.attempt, .deliver],
            .error: [.attempt, .fail],
        ]
        for before in try #require(history[state]) { try await store.commit([#require(Self.mutation(before))]) }
        #expect(try await store.message(Self.id)?.syncState == state)
        if let mutation = try Self.mutation(step) {
            #expect(MessageStep(mutation) == step)
            try await store.commit([mutation])
        } else {
            store = store.crashed()
            _ = try await store.start(opening)
        }
        #expect(try await store.message(Self.id)?.syncState == state.after(step))
    }

    /// With `CAUSEWAY_REDRAW_STATES=1` the document is redrawn instead.
    @Test func theMapShowsTheTable() throws {
        let document = try String(contentsOfFile: StateDocument.path, encoding: .utf8)
        let redrawn = try #require(StateDocument.redrawn(document), "the marks of the table are gone")
        if ProcessInfo.processInfo.environment["CAUSEWAY_REDRAW_STATES"] == "1" {
            try redrawn.write(toFile: StateDocument.path, atomically: true, encoding: .utf8)
        } else {
            #expect(
                document == redrawn,
                "the states have changed: run this test with CAUSEWAY_REDRAW_STATES=1, and look at the picture")
        }
    }

    @Test func theGuideNamesTheStatesAsTheMapDoes() throws {
        #expect(try String(contentsOfFile: StateDocument.readme, encoding: .utf8).contains(StateDocument.projections))
    }
}
