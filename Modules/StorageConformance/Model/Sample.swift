import CausewayModels
import CausewayStorage

/// The sample values of the suite's histories.
enum Sample {
    static let channels = ["general", "random", "empty-at-first"].map(channel)
    static let general = channels[0]
    static let random = channels[1]
    static let me = user("ada")
    static let other = user("grace")
    static let outboxID = OutboxID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_00AA))
    static let otherOutboxID = OutboxID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_00BB))

    static func id(_ number: Int) -> MessageID {
        // Ids do not ascend with the order of creation: no code may order by them.
        let mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        return MessageID(UUIDv7(high: mixed, low: 0x8000_0000_0000_0000 | UInt64(truncatingIfNeeded: number)))
    }

    static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + milliseconds) }

    static func failure(
        _ code: String = "", _ reason: Failure.Reason = .refused, pausesLane: Bool = false
    ) -> Failure {
        Failure(reason: reason, code: code, detail: "because", at: time(5), pausesLane: pausesLane)
    }

    static let ended = failure("ended", .sessionEnded)

    static func opening(
        _ restart: RestartPolicy = .resume, outboxID: OutboxID = outboxID, number: UInt64 = 1
    ) -> StartOptions {
        StartOptions(
            restart: restart, failure: ended, newOutboxID: outboxID,
            opening: OpeningID(UUIDv7(high: 0x0190_0000_0000_7000, low: number)))
    }

    static func draft(
        _ number: Int, _ content: MessageContent? = nil, in channel: ChannelID = general,
        lane: LaneID = .text,
        parent: MessageID? = nil, tags: [String] = []
    ) -> MessageDraft {
        MessageDraft(
            id: id(number), channel: channel, sender: me, parent: parent, tags: tags,
            content: content ?? .text("message \(number)"), createdAt: time(Int64(1000 - number)),
            lane: lane)
    }

    /// A media message with the file of this number.
    static func image(_ file: Int) -> MessageContent {
        .image(
            Attachment(
                name: "\(file).png", contentType: "image/png", size: Int64(1000 + file),
                sha256: String(repeating: "\(file)", count: 64)),
            caption: nil)
    }

    static func operation(
        _ number: Int, _ payload: OperationPayload, in channel: ChannelID = general
    ) -> OperationDraft {
        OperationDraft(
            id: id(number), channel: channel, sender: me, payload: payload,
            createdAt: time(Int64(1000 - number)),
            lane: .operations)
    }

    static func placed(
        _ number: Int, at position: Int64, _ content: MessageContent? = nil, in channel: ChannelID = general
    ) -> RemoteMessage {
        RemoteMessage(
            id: id(number), channel: channel, sender: other, content: content ?? .text("from afar \(number)"),
            createdAt: time(Int64(number)), serverPosition: serverPosition(position))
    }

    static func serverPosition(_ position: Int64) -> ServerPosition {
        ServerPosition(position: position, acceptedAt: time(position))
    }

    static func history(_ number: Int) -> ServerHistory {
        ServerHistory(
            server: "hub", id: "history \(number)", opening: "opening \(number)", commit: Int64(number),
            claim: "claim \(number)")
    }

    static func cursor(_ number: Int) -> EventCursor? { EventCursor(rawValue: "log-\(number)") }

    static func session(_ number: Int, of user: UserID = me, at server: String = "https://chat.example") -> Session {
        Session(id: SessionID(id(number).value), server: server, user: user, startedAt: time(Int64(number)))
    }

    /// The account of ``session(_:of:at:)``.
    static let account = session(1).account

    /// Every fourth is the deletion of a message; the others are of an edit and of reactions.
    static func deletion(_ number: Int) -> DeleteAction {
        let kinds = DeleteAction.Kind.allCases
        let kind = kinds[number % kinds.count]
        return DeleteAction(
            at: time(Int64(number)), by: .cli, kind: kind, message: id(number),
            target: kind == .message ? nil : id(number + 100), channel: general, type: .text,
            syncState: .error, lastFailure: number.isMultiple(of: 2) ? failure("x\(number)") : nil)
    }

    private static func channel(_ name: String) -> ChannelID {
        guard let channel = ChannelID(name) else { preconditionFailure("\(name) is a name") }
        return channel
    }

    private static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure("\(name) is a name") }
        return user
    }
}

extension StoreFactory {
    /// A new store that has been started.
    func started(_ bounds: OutboxBounds = OutboxBounds()) async throws -> any Store {
        let store = try await make(bounds)
        _ = try await store.start(Sample.opening())
        return store
    }

    /// The store as reopened and started by the next process.
    func restarted(_ store: any Store, _ restart: RestartPolicy = .resume) async throws -> any Store {
        let store = try await reopen(store)
        _ = try await store.start(Sample.opening(restart))
        return store
    }
}

/// Throws unless `body` throws `expected`.
func requireError<Value>(
    _ expected: StoreError, _ what: String, file: String = #fileID, line: Int = #line,
    _ body: () async throws -> Value
) async throws {
    do {
        _ = try await body()
    } catch let error as StoreError {
        return try requireEqual(error, expected, what, file: file, line: line)
    }
    throw ConformanceFailure(detail: "\(what): nothing was thrown", file: file, line: line)
}
