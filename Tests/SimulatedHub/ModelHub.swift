package import CausewayHubRules
package import CausewayModels

/// The hub's real rules over a model of what it stores. Time, errors and outages are the network's and the plan's.
package struct ModelHub {
    package struct LaneKey: Hashable {
        package var outbox: OutboxID
        package var lane: LaneID
    }

    /// A message that was accepted: at which place of its lane, and how often it was stored.
    package struct Accepted {
        package var key: LaneKey
        package var sequence: Int64
        package var placement: Placement
        package var content: MessageContent
        /// The message that an operation was about; `nil` for a message.
        package var target: MessageID?
        /// The operations that were applied to it, in order.
        package var applied: [MessageID] = []
        package var reactions: Set<String> = []
        package var copies = 1
        package var isDeleted = false
    }

    private var marks: [LaneKey: Int64] = [:]
    private var epochs: [OutboxID: EpochRules] = [:]
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
    /// - Parameter verdict: what the hub thinks of applying a send now.
    package mutating func apply(
        _ delivery: Delivery, at time: Timestamp, verdict: (MessageID, MessageContent?) -> LaneRules.Verdict
    ) throws(TransportError) -> DeliveryReport {
        var epoch = epochs[delivery.outbox] ?? EpochRules(highest: 0)
        guard epoch.admit(delivery.epoch) else {
            throw .needsAttention(Attention(cause: .superseded, detail: "a newer epoch was here"))
        }
        epochs[delivery.outbox] = epoch
        let key = LaneKey(outbox: delivery.outbox, lane: delivery.lane)
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
        _ verdict: (MessageID, MessageContent?) -> LaneRules.Verdict
    ) -> DeliveryOutcome {
        let kind = operation.kind
        let message = operation.message
        let previous = sabotage == .ignoresGaps && operation.sequence > rules.mark ? rules.mark : operation.previous
        let decision = rules.decide(kind, sequence: operation.sequence, previous: previous, known: known(message)) {
            missing(operation) ?? verdict(message, operation.content)
        }
        switch decision {
        case .answer(let outcome):
            if case .refused = outcome { refused.insert(message) }
            return outcome
        case .apply:
            let placement = store(operation, key, time)
            if let target = operation.target { apply(operation, to: target) }
            return .accepted(placement)
        case .delete:
            accepted[message]?.isDeleted = true
            return .deleted
        }
    }

    private func known(_ message: MessageID) -> LaneRules.Known {
        guard sabotage != .forgetsMessages, let stored = accepted[message] else { return .no }
        return .accepted(stored.placement)
    }

    /// The real hub's words about what cannot go without another message.
    private func missing(_ operation: DeliveryOperation) -> LaneRules.Verdict? {
        if let parent = operation.parent, accepted[parent] == nil { return .unrelated(detail: "no such parent") }
        guard let target = operation.target else { return nil }
        guard let stored = accepted[target] else { return .unrelated(detail: "no such message") }
        return stored.isDeleted ? .refuse(code: "messageDeleted", detail: "it was deleted") : nil
    }

    private mutating func apply(_ operation: DeliveryOperation, to target: MessageID) {
        accepted[target]?.applied.append(operation.message)
        switch operation.body {
        case .edit(_, target: _, let content): accepted[target]?.content = content
        case .addReaction(_, target: _, let name): accepted[target]?.reactions.insert(name)
        case .removeReaction(_, target: _, let name): accepted[target]?.reactions.remove(name)
        case .send, .fence, .delete: break
        }
    }

    private mutating func store(_ operation: DeliveryOperation, _ key: LaneKey, _ time: Timestamp) -> Placement {
        let message = operation.message
        let placement = Placement(position: nextPosition, acceptedAt: time)
        nextPosition += 1
        history.append((key, operation.sequence, message))
        if accepted[message] != nil {
            accepted[message]?.copies += 1
            accepted[message]?.isDeleted = false
        } else {
            accepted[message] = Accepted(
                key: key, sequence: operation.sequence, placement: placement, content: operation.content ?? .text(""),
                target: operation.target)
        }
        return placement
    }
}

extension DeliveryOperation {
    package var kind: LaneRules.Kind {
        switch body {
        case .send, .edit, .addReaction, .removeReaction: .send
        case .fence: .fence
        case .delete: .delete
        }
    }

    package var message: MessageID {
        switch body {
        case .send(let id, channel: _, content: _, createdAt: _, parent: _), .edit(let id, target: _, content: _),
            .addReaction(let id, target: _, name: _), .removeReaction(let id, target: _, name: _), .fence(let id),
            .delete(let id):
            id
        }
    }

    package var content: MessageContent? {
        switch body {
        case .send(_, channel: _, let content, createdAt: _, parent: _), .edit(_, target: _, let content): content
        case .addReaction(_, target: _, let name), .removeReaction(_, target: _, let name): .text(name)
        case .fence, .delete: nil
        }
    }

    package var parent: MessageID? {
        if case .send(_, channel: _, content: _, createdAt: _, let parent) = body { parent } else { nil }
    }

    /// The message that an operation is about.
    package var target: MessageID? {
        switch body {
        case .edit(_, let target, content: _), .addReaction(_, let target, name: _),
            .removeReaction(_, let target, name: _):
            target
        case .send, .fence, .delete: nil
        }
    }
}
