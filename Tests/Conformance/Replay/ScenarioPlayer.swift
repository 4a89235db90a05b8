import Causeway
import CausewayModels
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// Plays a scenario with the real client in some world. Each step ends at something that was awaited.
struct ScenarioPlayer<World: ScenarioWorld> {
    /// A step whose end never came.
    struct Stuck: Error, CustomStringConvertible {
        let what: String
        let step: Int

        var description: String { "step \(step): it never came about that \(what)" }
    }

    private let world: World
    private let copier: RequestCopier
    private let credentials = MemoryCredentialStore()
    private var client: CausewayClient
    private var ids: [MessageID] = []
    private var line = Scenario.Line.up
    /// True while a delivery is in flight that will not return before the line works.
    private var isHeld = false
    private var step = 0

    /// Plays the whole scenario and returns its end.
    static func play(_ scenario: Scenario, in world: World, copier: RequestCopier) async throws -> ScenarioOutcome {
        var player = try await ScenarioPlayer(world, copier)
        do {
            for (number, step) in scenario.steps.enumerated() {
                player.step = number
                try await player.perform(step)
            }
            let end = try await player.end()
            await player.client.close()
            await world.storeWasClosed()
            return end
        } catch {
            await player.client.close()
            throw error
        }
    }

    private init(_ world: World, _ copier: RequestCopier) async throws {
        self.world = world
        self.copier = copier
        client = try await Self.open(world, copier, credentials, resumes: true)
        try await client.login(server: world.address, token: try world.token())
        try await settled()
    }

    private static func open(
        _ world: World, _ copier: RequestCopier, _ credentials: MemoryCredentialStore, resumes: Bool
    ) async throws -> CausewayClient {
        var transports = TransportRegistry()
        let scheme = String(world.address.prefix { $0 != ":" })
        transports.register(scheme) { _, token throws(TransportError) in
            CopyingTransport(try world.makeTransport(token), copier)
        }
        var configuration = world.configuration
        configuration.restart = resumes ? .resume : .fail
        return try await CausewayClient.open(
            store: try await world.openStore(), transports: transports, credentials: credentials,
            runtime: world.runtime, configuration: configuration)
    }

    // MARK: - Steps

    private mutating func perform(_ step: Scenario.Step) async throws {
        switch step {
        case .create(let new): try await create(new)
        case .delete(let number): _ = try await client.messages.softDeleteMessages([ids[number]])
        case .edit(let number): try await edit(number)
        case .react(let number, let name, let isAdded):
            try await ignoringWhatIsGone { () async throws(ClientError) in
                if isAdded {
                    try await client.messages.addReaction(name, to: ids[number])
                } else {
                    try await client.messages.removeReaction(name, from: ids[number])
                }
            }
        case .resend(let number): _ = try await client.messages.resend([ids[number]])
        case .resendAll: _ = try await client.messages.resendFailedMessages()
        case .deleteAllFailed: _ = try await client.messages.deleteFailedMessages()
        case .line(let line): try await use(line)
        case .restart(let resumes): try await restart(resumes)
        case .restartHub: try await world.restartHub()
        case .relogin: try await relogin()
        case .trouble(let trouble, let times, let news): try await meet(trouble, times, news)
        case .refusedToken(let new): try await refuseToken(new)
        case .repeated(let new):
            copier.copyNext()
            try await create(new)
        case .lateCopy: await copier.sendLastOnceMore()
        }
        if line.isGood { try await settled() }
    }

    private mutating func create(_ new: Scenario.Draft) async throws {
        let id = try await created(new)
        guard !line.isGood, line != .cut, !isHeld else { return }
        // The first message behind a line that has become silent is in flight, and stays so.
        isHeld = true
        if line == .mute {
            let room = try Self.channel(new.room)
            try await until("the hub has message \(ids.count - 1)") {
                try await world.shown(in: room).contains { $0.id == id }
            }
        } else {
            try await until("message \(ids.count - 1) is on its way") {
                try await client.messages.storedMessage(id)?.syncState == .syncing
            }
        }
    }

    @discardableResult
    private mutating func created(_ new: Scenario.Draft) async throws -> MessageID {
        let channel = try Self.channel(new.room)
        var parent: MessageID?
        if let number = new.parent { parent = try await client.messages.storedMessage(ids[number])?.id }
        let handle =
            switch Self.content("message \(ids.count)", isCustom: new.isCustom) {
            case .custom(let data):
                try await client.messages.createCustomMessage(data, in: channel, parent: parent)
            default: try await client.messages.createTextMessage("message \(ids.count)", in: channel, parent: parent)
            }
        ids.append(handle.id)
        return handle.id
    }

    private static func content(_ text: String, isCustom: Bool) -> MessageContent {
        isCustom ? .custom(.object(["says": .string(text)])) : .text(text)
    }

    /// An edit's text follows from its step, so that edits can be told apart.
    private func edit(_ number: Int) async throws {
        let id = ids[number]
        guard let message = try await client.messages.storedMessage(id) else { return }
        let text = "message \(number), edited in step \(step)"
        try await ignoringWhatIsGone { () async throws(ClientError) in
            if message.type == .text {
                try await client.messages.editTextMessage(id, to: text)
            } else if case .custom(let data) = Self.content(text, isCustom: true) {
                try await client.messages.editCustomMessage(id, to: data)
            }
        }
    }

    private func ignoringWhatIsGone(_ change: () async throws(ClientError) -> Void) async throws {
        do throws(ClientError) {
            try await change()
        } catch .messageNotFound {
            return
        }
    }

    private mutating func use(_ new: Scenario.Line) async throws {
        try await world.use(new)
        line = new
        if new.isGood { isHeld = false }
        if new == .cut {
            try await until("the client knows that the line is cut") {
                if case .offline = try await client.status().connectivity { return true }
                // A probe that started before the line was cut may have succeeded.
                await client.probeNow()
                return false
            }
        }
    }

    private mutating func restart(_ resumes: Bool) async throws {
        await client.close()
        await world.storeWasClosed()
        client = try await Self.open(world, copier, credentials, resumes: resumes)
        // A delivery stuck in a silent line is gone with its connection; the new client cannot reach the hub.
        if !line.isGood { isHeld = true }
    }

    private mutating func relogin() async throws {
        try await client.logout()
        if !line.isGood { try await use(.up) }
        try await client.login(server: world.address, token: try world.token())
    }

    private mutating func meet(_ trouble: Scenario.Trouble, _ times: Int, _ news: [Scenario.Draft]) async throws {
        try await client.pause()
        for new in news { try await created(new) }
        world.cause(trouble, times: times)
        try await client.resume()
        try await settled()
        world.endTrouble()
    }

    private mutating func refuseToken(_ new: Scenario.Draft) async throws {
        world.refuseToken()
        try await created(new)
        try await until("the client knows that its token is refused") {
            try await client.status().actionRequired?.cause == .tokenRefused
        }
        world.endTrouble()
        try await client.login(server: world.address, token: try world.token())
    }

    // MARK: - Waiting

    /// Waits until nothing has to be sent to the hub any more, except messages that wait for a failed one.
    private func settled() async throws {
        try await until("everything has an end") {
            guard try await seemsSettled() else { return false }
            // The lanes may be empty a moment before the last verdict, and its consequences, are stored. This request
            // is processed after that.
            try await client.resume()
            return try await seemsSettled()
        }
    }

    private func seemsSettled() async throws -> Bool {
        guard try await client.status().lanes.allSatisfy({ $0.depth == 0 }) else { return false }
        return try await client.messages.outbox(limit: 1000).items.map(\.operation).allSatisfy {
            $0.isParked || $0.syncState == .error && !$0.isInDoubt
        }
    }

    private func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let runtime = world.runtime
        let end = runtime.now + .seconds(90)
        while try await !condition() {
            guard runtime.now < end else { throw Stuck(what: what, step: step) }
            await runtime.sleep(until: runtime.now + .milliseconds(5))
        }
    }

    // MARK: - The end

    private func end() async throws -> ScenarioOutcome {
        var end = ScenarioOutcome()
        let numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        for (number, id) in ids.enumerated() {
            let message = try await client.messages.storedMessage(id)
            end.fates.append(Self.fate(of: message))
            if let message { end.clientBodies[number] = Self.body(message.content, Set(message.reactions.keys)) }
            let dependants = try await client.messages.dependants(of: id)
            end.dependants[number] = dependants.map { dependant in
                let name = numbers[dependant.id].map { "message \($0)" } ?? Self.name(of: dependant)
                return "\(name): \(Self.fate(of: dependant))"
            }
        }
        for room in Scenario.Room.allCases {
            let channel = try Self.channel(room)
            let page = try await client.messages.storedMessages(in: channel, limit: 1000)
            end.client[room] = page.messages.compactMap { numbers[$0.id] }
            guard room != .nowhere else { continue }
            let shown = try await world.shown(in: channel)
            for message in shown {
                guard let number = numbers[message.id] else {
                    end.strangers += 1
                    continue
                }
                end.hub[room, default: []].append(number)
                end.hubBodies[number] = Self.body(message.content, message.reactions)
            }
        }
        end.deletions = try await client.messages.deleteActions(limit: 1000).compactMap { numbers[$0.message] }
        return end
    }

    private static func fate(of message: (any Deliverable)?) -> ScenarioOutcome.Fate {
        guard let message else { return .deleted }
        if message.syncState == .synced { return .synced }
        if message.isParked { return .parked }
        guard message.syncState == .error, let failure = message.failure, !message.isInDoubt else {
            return .underWay(message.syncState)
        }
        return .error(failure.reason, code: failure.code)
    }

    private static func body(_ content: MessageContent, _ reactions: Set<String>) -> String {
        "\(content) \(reactions.sorted())"
    }

    private static func name(of operation: QueuedOperation) -> String {
        switch operation.payload {
        case .edit: "edit to \(operation.content)"
        case .addReaction: "reaction \(operation.content)"
        case .removeReaction: "reaction taken back \(operation.content)"
        case .create: "message"
        }
    }

    private static func channel(_ room: Scenario.Room) throws -> ChannelID {
        guard let channel = ChannelID(room.rawValue) else { preconditionFailure("a fixed name is a name") }
        return channel
    }
}
