package import CausewayHubRules
package import CausewayModels

/// The hub's real rules over a model of what it stores. Time, errors and outages are the network's and the plan's.
package struct ModelHub {
    package struct LaneKey: Hashable {
        package var outbox: OutboxID
        package var lane: LaneID
        /// `nil` in a world with one account.
        package var account: UserID?
    }

    private struct OutboxKey: Hashable {
        var outbox: OutboxID
        var account: UserID?
    }

    /// A message that was accepted: at which place of its lane, and how often it was stored.
    package struct Accepted {
        package var key: LaneKey
        package var sequence: Int64
        package var placement: Placement
        package var content: MessageContent
        package var copies = 1
        package var isDeleted = false
        package var channel: ChannelID?
        package var createdAt = Timestamp(milliseconds: 0)
    }

    private var marks: [LaneKey: Int64] = [:]
    private var epochs: [OutboxKey: EpochRules] = [:]
    package private(set) var accepted: [MessageID: Accepted] = [:]
    /// Every message stored, in the order in which that happened.
    package private(set) var history: [(key: LaneKey, sequence: Int64, message: MessageID)] = []
    /// Messages that were refused for their content.
    package private(set) var refused: Set<MessageID> = []
    private var nextPosition: Int64 = 1

    private let sabotage: HubSabotage?

    package init(sabotage: HubSabotage? = nil) { self.sabotage = sabotage }

    /// What a user would find on the hub.
    package func holds(_ message: MessageID) -> Bool { accepted[message].map { !$0.isDeleted } ?? false }

    /// Marks and messages are on the hub's disk: a restart loses nothing.
    package mutating func restart() {
        if sabotage == .forgetsMarks { marks = [:] }
    }

    /// One transaction: all outcomes of a delivery.
    ///
    /// - Parameters:
    ///   - account: who delivers; in a world with one account, nobody in particular.
    ///   - verdict: what the hub thinks of applying a send now.
    package mutating func apply(
        _ delivery: Delivery, account: UserID? = nil, at time: Timestamp,
        verdict: (MessageID, MessageContent) -> LaneRules.Verdict
    ) throws(TransportError) -> DeliveryReport {
        let outbox = OutboxKey(outbox: delivery.outbox, account: account)
        var epoch = epochs[outbox] ?? EpochRules(highest: 0)
        guard epoch.admit(delivery.epoch) else {
            throw .needsAttention(Attention(cause: .superseded, detail: "a newer epoch was here"))
        }
        epochs[outbox] = epoch
        let key = LaneKey(outbox: delivery.outbox, lane: delivery.lane, account: account)
        var rules = LaneRules(mark: marks[key] ?? 0)
        var outcomes: [DeliveryOutcome] = []
        for operation in delivery.operations {
            outcomes.append(apply(operation, key, &rules, time, verdict))
        }
        if sabotage == .fencesLeaveNoMark, outcomes.last == .fenced {
            return DeliveryReport(mark: rules.mark, outcomes: outcomes)
        }
        marks[key] = rules.mark
        return DeliveryReport(mark: rules.mark, outcomes: outcomes)
    }

    private mutating func apply(
        _ operation: DeliveryOperation, _ key: LaneKey, _ rules: inout LaneRules, _ time: Timestamp,
        _ verdict: (MessageID, MessageContent) -> LaneRules.Verdict
    ) -> DeliveryOutcome {
        let (kind, message, content) = operation.parts
        let previous = sabotage == .ignoresGaps && operation.sequence > rules.mark ? rules.mark : operation.previous
        let decision = rules.decide(kind, sequence: operation.sequence, previous: previous, known: known(message)) {
            content.map { verdict(message, $0) } ?? .fine
        }
        switch decision {
        case .answer(let outcome):
            if case .refused = outcome { refused.insert(message) }
            return outcome
        case .apply:
            let placement = store(message, content, key, operation.sequence, time)
            if case .send(_, let channel, _, let createdAt) = operation.body {
                accepted[message]?.channel = channel
                accepted[message]?.createdAt = createdAt
            }
            return .accepted(placement)
        case .delete:
            if let author = accepted[message]?.key.account, author != key.account {
                return .refused(code: "notYours", detail: "somebody else wrote it")
            }
            accepted[message]?.isDeleted = true
            return .deleted
        }
    }

    private func known(_ message: MessageID) -> LaneRules.Known {
        guard sabotage != .forgetsMessages, let stored = accepted[message] else { return .no }
        return .accepted(stored.placement)
    }

    private mutating func store(
        _ message: MessageID, _ content: MessageContent?, _ key: LaneKey, _ sequence: Int64, _ time: Timestamp
    ) -> Placement {
        let placement = Placement(position: nextPosition, acceptedAt: time)
        nextPosition += 1
        history.append((key, sequence, message))
        if accepted[message] != nil {
            accepted[message]?.copies += 1
            accepted[message]?.isDeleted = false
        } else {
            accepted[message] = Accepted(
                key: key, sequence: sequence, placement: placement, content: content ?? .text(""))
        }
        return placement
    }
}

extension DeliveryOperation {
    /// What the hub's rules ask for.
    fileprivate var parts: (LaneRules.Kind, MessageID, MessageContent?) {
        switch body {
        case .send(let id, channel: _, let content, createdAt: _): (.send, id, content)
        case .fence(let id): (.fence, id, nil)
        case .delete(let id): (.delete, id, nil)
        }
    }
}
