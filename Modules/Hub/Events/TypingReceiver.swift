internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Takes typing signals of accounts, a bounded number of each, and passes them to the readers of their channels.
final class TypingReceiver: Sendable {
    private let storage: any HubStorage
    private let notifier: EventNotifier
    private let rates: Mutex<AttemptLimiter>

    /// - Parameters:
    ///   - burst: signals of one account in a row.
    ///   - refill: how long it takes an account to earn one more.
    init(_ storage: any HubStorage, _ notifier: EventNotifier, burst: Int, refill: Duration) {
        self.storage = storage
        self.notifier = notifier
        rates = Mutex(AttemptLimiter(burst: burst, refill: refill, peersMax: HubLimits.typingAccountsMax))
    }

    /// - Throws: 429 for too many signals; 400 for a malformed one; 404 if the account may not write to the channel.
    func receive(
        _ body: CollectedBody, in channel: ChannelID, of account: HubAccount
    ) async throws -> WireTypingResult {
        let wait = rates.withLock { $0.recordFailure(of: account.user.value, at: SystemClock.monotonic()) }
        if let wait { throw HubHTTPError.tooManySignals(seconds: wait) }
        let typing = try Self.decode(body)
        let signal = EphemeralSignal(
            channel: channel, user: account.user, device: typing.device, sequence: typing.sequence,
            isTyping: typing.isTyping)
        let outcome = try await notifier.receive(signal) { try await requireWriter(account.user, in: channel) }
        switch outcome {
        case .latest?: return WireTypingResult(isShown: true)
        case .superseded?, .full?, nil: return WireTypingResult(isShown: false)
        }
    }

    /// - Throws: 404 if the account may not write to the channel.
    private func requireWriter(_ user: UserID, in channel: ChannelID) async throws {
        let state = try await storage.records(.rights(of: user, in: channel))
        var records = RecordTransaction(state)
        guard records.refusal(.send, by: user, in: channel) == nil else {
            throw HubHTTPError.notFound("no channel named \(channel)", code: "channelNotFound")
        }
    }

    /// An account that has sent a message has finished typing it.
    func end(of user: UserID, _ delivery: ValidatedDelivery, _ report: WireReport) {
        var channels: Set<ChannelID> = []
        for (operation, result) in zip(delivery.operations, report.results) where result.kind == .accepted {
            if case .send(let message) = operation.body { channels.insert(message.channel) }
        }
        if !channels.isEmpty { notifier.endTyping(of: user, in: channels) }
    }

    private static func decode(_ body: CollectedBody) throws -> WireTyping {
        let content = try body.content()
        let typing: WireTyping
        do {
            typing = try JSONCoding.decode(
                WireTyping.self, from: content, depthMax: 4, valuesMax: 64)
        } catch let problem as JSONProblem {
            throw HubHTTPError(.badRequest, code: "jsonInvalid", detail: "\(problem)")
        } catch {
            throw HubHTTPError(.badRequest, code: "jsonInvalid", detail: HubCoding.explanation(of: error))
        }
        guard WireTyping.isDevice(typing.device) else {
            throw HubHTTPError(
                .badRequest, code: "typingInvalid",
                detail: "device must have 1 to \(WireTyping.deviceBytesMax) printable ASCII characters without spaces")
        }
        guard (0...Limits.sequenceMax).contains(typing.sequence) else {
            throw HubHTTPError(
                .badRequest, code: "typingInvalid",
                detail: "sequence must be at least 0 and at most \(Limits.sequenceMax)")
        }
        return typing
    }
}

extension HubRouter {
    func receiveTyping(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        let channel = try channelID(context)
        let account = try context.requireAccount()
        try requireJSON(request)
        return try await budget.collecting(
            request, of: context.requireOwner(), bytesMax: HubLimits.typingBodyBytesMax
        ) { body in
            try JSONResponse.json(try await typing.receive(body, in: channel, of: account))
        }
    }
}
