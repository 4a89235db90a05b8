package import CausewayHubRules
package import CausewayModels

/// The hub's real rules over a model of what it stores. Time, errors and outages are the network's and the plan's.
package struct ModelHub: Hashable {
    package struct LaneKey: Hashable {
        package var account: UserID?
        package var outbox: OutboxID
        package var lane: LaneID
    }

    /// A message that was accepted: at which place of its lane, and how often it was stored.
    package struct Accepted: Hashable {
        package var key: LaneKey
        package var sequence: Int64
        package var placement: Placement
        package var content: MessageContent
        package var copies = 1
        package var isDeleted = false
    }

    /// A message as it was stored, at which place of which lane.
    package struct Stored: Hashable {
        package var key: LaneKey
        package var sequence: Int64
        package var message: MessageID
    }

    private struct OutboxKey: Hashable {
        var account: UserID?
        var outbox: OutboxID
    }

    private var marks: [LaneKey: Int64] = [:]
    private var epochs: [OutboxKey: Int64] = [:]
    package private(set) var accepted: [MessageID: Accepted] = [:]
    /// Every message stored, in the order in which that happened.
    package private(set) var history: [Stored] = []
    /// Messages that were refused for their content.
    package private(set) var refused: Set<MessageID> = []
    private var nextPosition: Int64 = 1

    /// What stood before the last transaction.
    private struct Uncommitted: Hashable {
        var marks: [LaneKey: Int64]
        var accepted: [MessageID: Accepted]
    }

    private var uncommitted: Uncommitted?

    private let sabotage: HubSabotage?

    package init(sabotage: HubSabotage? = nil) { self.sabotage = sabotage }

    /// What a user would find on the hub.
    package func holds(_ message: MessageID) -> Bool { accepted[message].map { !$0.isDeleted } ?? false }

    /// Marks and messages are on the hub's disk: a restart loses nothing.
    package mutating func restart() {
        if sabotage == .forgetsMarks { marks = [:] }
        if sabotage == .answersBeforeCommitting, let before = uncommitted {
            (marks, accepted) = (before.marks, before.accepted)
            uncommitted = nil
        }
    }

    /// One transaction: all outcomes of a delivery.
    ///
    /// - Parameters:
    ///   - account: whose token came with it; outboxes are told apart by it, too.
    ///   - verdict: what the hub thinks of applying a send now.
    package mutating func apply(
        _ delivery: Delivery, account: UserID? = nil, at time: Timestamp,
        verdict: (MessageID, MessageContent) -> LaneRules.Verdict
    ) throws(TransportError) -> DeliveryReport {
        let outbox = OutboxKey(account: account, outbox: delivery.outbox)
        var epoch = EpochRules(highest: epochs[outbox] ?? 0)
        guard epoch.admit(delivery.epoch) || sabotage == .ignoresEpochs else {
            throw .needsAttention(Attention(cause: .superseded, detail: "a newer epoch was here"))
        }
        epochs[outbox] = epoch.highest
        if sabotage == .answersBeforeCommitting { uncommitted = Uncommitted(marks: marks, accepted: accepted) }
        let key = LaneKey(account: account, outbox: delivery.outbox, lane: delivery.lane)
        var rules = LaneRules(mark: marks[key] ?? 0)
        var outcomes: [DeliveryOutcome] = []
        for operation in delivery.operations {
            if sabotage == .goesOnAfterTryLater, rules.isStopped { rules = LaneRules(mark: operation.previous) }
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
            return .accepted(placement)
        case .delete:
            guard let stored = accepted[message] else { return .deleted }
            guard stored.key.account == key.account else {
                return .refused(code: "forbidden", detail: "it is somebody else's")
            }
            if sabotage != .deletesNothing { accepted[message]?.isDeleted = true }
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
        history.append(Stored(key: key, sequence: sequence, message: message))
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
