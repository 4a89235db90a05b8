internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayRecords
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// New channels of accounts, which count for the address that creates them.
struct ChannelCreator: Sendable {
    let storage: any HubStorage
    let kinds: HubKinds
    let shares: ChannelCreationShares
    let notifier: EventNotifier

    init(
        _ storage: any HubStorage, _ kinds: HubKinds, _ shares: ChannelCreationShares, _ notifier: EventNotifier
    ) {
        self.notifier = notifier
        self.storage = storage
        self.kinds = kinds
        self.shares = shares
    }

    /// How long the address of a request must wait before it may create a channel, in seconds; `nil` while it may. A
    /// delivery that begins before that may create several.
    func wait(_ context: HubRequestContext) throws -> Int64? { shares.wait(of: try context.requireOwner().peer) }

    /// Counts and logs a new channel.
    func recordNew(_ channel: ChannelID, _ context: HubRequestContext) throws {
        shares.recordNew(of: try context.requireOwner().peer)
        let who = try context.who(["channel": "\(channel)"])
        context.logger.notice("channel created", metadata: who)
    }

    /// Creates a public channel with the account as its owner unless it exists.
    ///
    /// - Returns: the channel's record, and whether this call created it.
    /// - Throws: `HubHTTPError` 409 for the name of a channel that the account may not read, 422 past a limit, 429.
    func put(_ id: ChannelID, _ context: HubRequestContext) async throws -> (row: RecordRow, isNew: Bool) {
        let account = try context.requireAccount()
        let key = RecordKey(Channel.self, id)
        let write = ChannelAction.create(id, ChannelSettings()).write
        // An existing channel costs no share, and does not wait for the writer.
        let state = try await storage.records(.rights(of: account.user, in: id))
        if let row = state.rows[key], !row.isDeleted {
            guard kinds.mayRead(key, by: account.user, in: state) else {
                throw HubHTTPError(
                    .conflict, code: "channelExists", detail: "a channel named \(id) exists already")
            }
            return (row, false)
        }
        if let seconds = try wait(context) { throw HubHTTPError.tooManyNewChannels(seconds: seconds) }
        let now = SystemClock.now()
        let (decision, topics) = try await storage.changeRecords(loading: kinds.keys(of: write, by: account.user)) {
            [kinds] state in
            var records = RecordTransaction(state)
            let decision = kinds.decide(write, by: account.user, at: now, &records)
            let changes = records.changes(kinds)
            return RecordDecision(changes: changes, value: ((decision, changes[key]?.row), changes.topics))
        }
        await notifier.publish(topics, in: storage)
        switch decision {
        case (.accepted, let row?):
            try recordNew(id, context)
            return (row, true)
        case (.refused("channelExists", _), _):
            // Another request was faster.
            return try await put(id, context)
        case (.refused(let code, let detail), _):
            throw HubHTTPError(.unprocessableContent, code: code, detail: detail)
        case (.accepted, nil):
            throw HubHTTPError(.internalServerError, code: "internal", detail: "the hub could not create the channel")
        }
    }
}
