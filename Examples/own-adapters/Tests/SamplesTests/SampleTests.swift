import Causeway
import OwnAdapters
import Samples
import Synchronization
import Testing

/// The samples on a client of their own.
@MainActor struct SampleTests {
    private let general: ChannelID
    private let board: BulletinBoard
    private let door: BoardDoor
    private let token: AccessToken
    private let client: CausewayClient

    init() async throws {
        general = try #require(ChannelID("general"))
        token = try #require(AccessToken("any-token"))
        let board = BulletinBoard(user: try #require(UserID("ann")), token: token, channel: general)
        var transports = TransportRegistry()
        let door = BoardDoor(board)
        transports.register("board") { _, token in BoardTransport(to: door, token: token) }
        (self.board, self.door) = (board, door)
        client = try await CausewayClient.open(
            store: MemoryStore(), transports: transports, credentials: MemoryCredentialStore())
        try await client.login(server: "board://here", token: token)
    }

    private var texts: [String] {
        board.notes.compactMap { if case .text(let text) = $0.content { text } else { nil } }
    }

    private func until(_ holds: () async throws -> Bool) async rethrows {
        while try await !holds(), !Task.isCancelled { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(5))) func theEchoBotAnswers() async throws {
        try await client.messages.createTextMessage("echo before", in: general).delivered()
        let (changes, seen) = relay()
        let bot = Task.detached { [client, general] in try await EchoBot(client, in: general).run(on: changes) }
        await until { seen.status == .fresh }
        try await client.messages.createTextMessage("echo hello", in: general).delivered()
        await until { texts.contains("hello") }
        await client.close()
        try await bot.value
        #expect(!texts.contains("before"))
    }

    @Test(.timeLimit(.minutes(5))) func theEchoBotAnswersWhatArrivesWhileTheListIsNotFresh() async throws {
        let (changes, seen) = relay()
        let bot = Task.detached { [client, general] in try await EchoBot(client, in: general).run(on: changes) }
        await until { seen.status == .fresh }
        // In a new session the list is not fresh until the server has responded, and it cannot respond.
        door.isClosed = true
        try await client.logout()
        try await client.login(server: "board://here", token: token)
        let question = try await client.messages.createTextMessage("echo hello", in: general)
        await until { seen.inserted.contains(question.id) }
        #expect(seen.status == .local)
        door.isClosed = false
        await until { texts.contains("hello") }
        await client.close()
        try await bot.value
    }

    /// The changes of the channel, and those of them that their reader has dealt with.
    private func relay() -> (Relay, Seen) {
        let seen = Seen()
        return (Relay(changes: client.messages.messageChanges(in: general), seen: seen), seen)
    }

    @Test(.timeLimit(.minutes(5))) func theFailureBotDeletesWhatIsRefused() async throws {
        let bot = Task.detached { [client] in try await FailureBot(client).run() }
        let nowhere = try #require(ChannelID("nowhere"))
        let refused = try await client.messages.createTextMessage("hi", in: nowhere)
        try await until { try await client.messages.storedMessage(refused.id) == nil }
        #expect(try await client.messages.failedMessages().messages.isEmpty)
        await client.close()
        try await bot.value
    }

    @Test(.timeLimit(.minutes(5))) func theFailureBotSendsAgainWhatASessionLeft() async throws {
        try await client.pause()
        let left = try await client.messages.createTextMessage("late", in: general)
        try await client.logout()
        #expect(try await client.messages.storedMessage(left.id)?.failure?.reason == .sessionEnded)
        let bot = Task.detached { [client] in try await FailureBot(client).run() }
        try await client.login(server: "board://here", token: token)
        try await client.resume()
        await until { texts == ["late"] }
        try await until { try await client.messages.storedMessage(left.id)?.syncState == .synced }
        #expect(try await client.messages.failedMessages().messages.isEmpty)
        await client.close()
        try await bot.value
    }

    @Test(.timeLimit(.minutes(5))) func theConversationShowsPages() async throws {
        for number in 1...5 {
            try await client.messages.createTextMessage("\(number)", in: general).delivered()
        }
        let model = await ConversationModel(client, in: general, pageSize: 2)
        #expect(model.rows.map(\.text) == ["4", "5"])
        #expect(try await model.loadOlder() == 2)
        #expect(model.rows.map(\.text) == ["2", "3", "4", "5"])
        try await model.pullToRefresh()
        try await model.loadOlder()
        #expect(model.rows.map(\.text) == ["1", "2", "3", "4", "5"] && !model.hasOlder)
        #expect(model.errorText == nil && model.rows.allSatisfy { $0.state == .synced })
        await client.close()
    }

    /// A table that applies the updates of a model shows its rows.
    @Test(.timeLimit(.minutes(5))) func aTableShowsEachRowOnce() async throws {
        for text in ["1", "2"] { try await client.messages.createTextMessage(text, in: general).delivered() }
        let model = await ConversationModel(client, in: general)
        let table = Table(of: model)
        #expect(table.rows.map(\.text) == ["1", "2"])
        let last = try await client.messages.createTextMessage("3", in: general)
        await until { model.rows.last?.id == last.id && model.rows.last?.state == .synced }
        #expect(table.rows == model.rows)
        await client.close()
    }

    @Test(.timeLimit(.minutes(5))) func severalDeletionsAreOneChange() async throws {
        let model = await ConversationModel(client, in: general)
        let table = Table(of: model)
        try await client.pause()
        var ids: [MessageID] = []
        for text in ["1", "2", "3", "4"] {
            ids.append(try await client.messages.createTextMessage(text, in: general).id)
        }
        await until { model.rows.map(\.id) == ids }
        table.updates = []
        _ = try await client.messages.softDeleteMessages([ids[0], ids[2]])
        await until { model.rows.map(\.text) == ["2", "4"] }
        #expect(table.rows == model.rows)
        let deletions = table.updates.map { update -> [Int]? in
            if case .changes(let change) = update { change.deletions } else { nil }
        }
        #expect(deletions == [[0, 2]])
        await client.close()
    }
}

/// A table that applies the updates of a model to rows of its own.
@MainActor private final class Table {
    private(set) var rows: [ConversationModel.Row]
    var updates: [ConversationModel.Update] = []

    init(of model: ConversationModel) {
        rows = model.rows
        model.onUpdate = { [weak self, unowned model] update in self?.apply(update, of: model) }
    }

    private func apply(_ update: ConversationModel.Update, of model: ConversationModel) {
        updates.append(update)
        switch update {
        case .reload: rows = model.rows
        case .changes(let change):
            for index in change.deletions.reversed() { rows.remove(at: index) }
            for index in change.insertions { rows.insert(model.rows[index], at: index) }
            for index in change.modifications { rows[index] = model.rows[index] }
        }
    }
}

/// The way to a board. While it is closed nothing can be read there.
private final class BoardDoor: Board {
    private let board: BulletinBoard
    private let closed = Mutex(false)

    init(_ board: BulletinBoard) { self.board = board }

    var isClosed: Bool {
        get { closed.withLock { $0 } }
        set { closed.withLock { $0 = newValue } }
    }

    func member(_ token: AccessToken) throws -> UserID { try board.member(token) }

    func apply(_ delivery: Delivery, from token: AccessToken) throws -> DeliveryReport {
        try board.apply(delivery, from: token)
    }

    func page(_ query: RemoteQuery, for token: AccessToken) throws -> RemotePage {
        if isClosed { throw BoardError.busy }
        return try board.page(query, for: token)
    }

    func position(of id: MessageID, for token: AccessToken) throws -> ServerPosition? {
        try board.position(of: id, for: token)
    }
}

/// Changes that are handed on one by one.
private struct Relay: AsyncSequence {
    let changes: LiveChanges<Message>
    let seen: Seen

    func makeAsyncIterator() -> Iterator { Iterator(inner: changes.makeAsyncIterator(), seen: seen) }

    struct Iterator: AsyncIteratorProtocol {
        let inner: LiveChanges<Message>.Iterator
        let seen: Seen
        private var last: LiveCollectionChange<Message>?

        init(inner: LiveChanges<Message>.Iterator, seen: Seen) {
            self.inner = inner
            self.seen = seen
        }

        mutating func next() async -> LiveCollectionChange<Message>? {
            await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> LiveCollectionChange<Message>? {
            if let last { seen.note(last) }
            last = await inner.next(isolation: actor)
            return last
        }
    }
}

/// The changes that a reader has dealt with.
private final class Seen: Sendable {
    private let state = Mutex((status: DataStatus?.none, inserted: Set<MessageID>()))

    var status: DataStatus? { state.withLock { $0.status } }
    var inserted: Set<MessageID> { state.withLock { $0.inserted } }

    func note(_ change: LiveCollectionChange<Message>) {
        state.withLock { state in
            state.status = change.dataStatus
            state.inserted.formUnion(change.insertions.map { change.snapshot[$0].id })
        }
    }
}
