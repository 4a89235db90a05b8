package import CausewayHubRules
package import CausewayModels

/// The hub's real rules over a model of its storage. Time, errors and outages belong to the network and the plan.
package struct ModelHub: Hashable {
    package struct LaneKey: Hashable {
        /// `nil` in a world with one account.
        package var account: UserID?
        package var outbox: OutboxID
        package var lane: LaneID
    }

    /// An accepted message: its position in its lane, and how often it was stored.
    package struct Accepted: Hashable {
        package var key: LaneKey
        package var sequence: Int64
        package var serverPosition: ServerPosition
        package var content: MessageContent
        /// The target of an operation; `nil` for a message.
        package var target: MessageID?
        /// The operations that were applied to it, in order.
        package var applied: [MessageID] = []
        package var reactions: Set<String> = []
        /// The accounts that gave each reaction; `nil` is the account of a world with only one.
        package var reactors: [String: Set<UserID?>] = [:]
        /// The time of the last applied edit.
        package var editedAt: Timestamp?
        /// The time of the last applied operation; ascends.
        package var changedAt: Timestamp?
        package var copies = 1
        package var isDeleted = false
        /// The channel, the creation time by the sender's clock, and the parent of a reply; for messages only.
        package var channel: ChannelID?
        package var createdAt = Timestamp(milliseconds: 0)
        package var parent: MessageID?
        package var tags: [String] = []
    }

    /// A message as it was stored, with its lane and its position there.
    package struct Stored: Hashable {
        package var key: LaneKey
        package var sequence: Int64
        package var message: MessageID
    }

    private struct OutboxKey: Hashable {
        var account: UserID?
        var outbox: OutboxID
    }

    private(set) var marks: [LaneKey: Int64] = [:]
    var identity = HubIdentity()
    var log = HubLog()
    private var lineages: [OutboxKey: LineageRules] = [:]
    private(set) var movers: [LaneKey: OpeningID] = [:]
    /// The operations that moved the marks last.
    private var lastOperations: [LaneKey: OperationID] = [:]
    private var barred: [OutboxKey: Set<OpeningID>] = [:]
    package private(set) var accepted: [MessageID: Accepted] = [:]
    /// Every stored message, in the order of storing.
    package private(set) var history: [Stored] = []
    var nextPosition: Int64 = 1

    private struct EarlyDeletion: Hashable {
        var account: UserID?
        var message: MessageID
    }

    /// Deletions of messages that have not arrived.
    private var earlyDeletions: Set<EarlyDeletion> = []

    /// The state before the last transaction.
    private struct Uncommitted: Hashable {
        var marks: [LaneKey: Int64]
        var accepted: [MessageID: Accepted]
    }

    private var uncommitted: Uncommitted?

    let plantedFault: HubPlantedFault?

    package init(plantedFault: HubPlantedFault? = nil) { self.plantedFault = plantedFault }

    /// True when a user would find the message on the hub.
    package func holds(_ message: MessageID) -> Bool { accepted[message].map { !$0.isDeleted } ?? false }

    /// True when the hub was told to delete the message of this account, even if it has never had it in its present
    /// history.
    package func hasDeletion(of message: MessageID, by account: UserID) -> Bool {
        accepted[message]?.isDeleted == true
            || earlyDeletions.contains(EarlyDeletion(account: account, message: message))
    }

    /// Restarts the hub. Marks and messages are on its disk: nothing is lost.
    package mutating func restart() {
        if plantedFault == .forgetsMarks { marks = [:] }
        if plantedFault == .answersBeforeCommitting, let before = uncommitted {
            (marks, accepted) = (before.marks, before.accepted)
            uncommitted = nil
        }
        if plantedFault == .reusesPositions { nextPosition = max(1, nextPosition - 1) }
    }

    /// Applies all operations of a delivery in one transaction.
    ///
    /// - Parameters:
    ///   - account: the account of the token; outboxes are distinguished by it as well.
    ///   - verdict: whether the hub can apply a send now.
    package mutating func apply(
        _ delivery: Delivery, account: UserID? = nil, at time: Timestamp,
        verdict: (MessageID, MessageContent?) -> LaneRules.Verdict
    ) throws(TransportError) -> DeliveryReport {
        guard mayDeliver(in: delivery.history) else {
            throw .historyChanged(detail: "the delivery belongs to a former history or opening")
        }
        let outbox = OutboxKey(account: account, outbox: delivery.outbox)
        try admit(delivery, outbox)
        if plantedFault == .answersBeforeCommitting { uncommitted = Uncommitted(marks: marks, accepted: accepted) }
        let lane = plantedFault == .sharesMarks ? .text : delivery.lane
        let key = LaneKey(account: account, outbox: delivery.outbox, lane: lane)
        let markBefore = marks[key] ?? 0
        var rules = LaneRules(mark: markBefore)
        var outcomes: [DeliveryOutcome] = []
        var deleted: Set<MessageID> = []
        for operation in delivery.operations {
            if plantedFault == .goesOnAfterTryLater || plantedFault == .goesOnAfterGap, rules.isStopped {
                if (plantedFault == .goesOnAfterGap) == outcomes.last?.isGap {
                    rules = LaneRules(mark: operation.previous)
                }
            }
            let before = rules.mark
            let outcome = apply(operation, key, &rules, time, verdict)
            outcomes.append(outcome)
            if rules.mark != before { lastOperations[key] = operation.message }
            if case .accepted = outcome, isDeleted(operation.message) { deleted.insert(operation.message) }
            if let mark = forgottenMark(outcomes.last, before) { rules = LaneRules(mark: mark) }
        }
        if plantedFault == .fencesLeaveNoMark, outcomes.last == .fenced {
            return DeliveryReport(mark: rules.mark, outcomes: outcomes, opening: delivery.opening)
        }
        marks[key] = rules.mark
        if plantedFault == .passesWhatItPutsOff, let index = outcomes.firstIndex(where: \.isPutOff) {
            marks[key] = delivery.operations[index].sequence
        }
        if rules.mark != markBefore { movers[key] = delivery.opening }
        if rules.mark != markBefore || delivery.operations.contains(where: { $0.kind == .delete }) { countCommit() }
        var report = DeliveryReport(mark: rules.mark, outcomes: outcomes, opening: delivery.opening)
        report.deletedSince = deleted
        return report
    }

    /// Whether the response to an accepted message says that it is deleted.
    private func isDeleted(_ message: MessageID) -> Bool {
        plantedFault != .hidesDeletions && accepted[message]?.isDeleted == true
    }

    /// Rejects a delivery of an older process or copy of the store.
    private mutating func admit(_ delivery: Delivery, _ outbox: OutboxKey) throws(TransportError) {
        let key = LaneKey(account: outbox.account, outbox: outbox.outbox, lane: delivery.lane)
        var lineage = lineages[outbox] ?? LineageRules(highest: 0, opening: nil)
        let claim = LineageRules.Claim(
            epoch: delivery.epoch, opening: delivery.opening, ancestors: delivery.ancestors, base: delivery.base)
        let isBarred = delivery.opening.map { barred[outbox]?.contains($0) ?? false } ?? false
        let verdict = lineage.admit(
            claim, isBarred: isBarred,
            lane: .init(mark: marks[key] ?? 0, mover: movers[key], operation: lastOperations[key]),
            links: delivery.operations.lazy.map { .init(previous: $0.previous, sequence: $0.sequence, id: $0.message) })
        if plantedFault == .ignoresEpochs { return }
        switch verdict {
        case .admitted: lineages[outbox] = lineage
        case .superseded:
            throw .actionRequired(ActionRequired(cause: .superseded, detail: "a newer epoch was here"))
        case .forked: throw .storeForked(detail: "another copy was here")
        case .forkedInside:
            if let opening = delivery.opening { barred[outbox, default: []].insert(opening) }
            throw .storeForked(detail: "another copy was here")
        }
    }

    /// PlantedFault: the sequence to which the lane returns, because an outcome left no mark.
    private func forgottenMark(_ outcome: DeliveryOutcome?, _ before: Int64) -> Int64? {
        switch (plantedFault, outcome) {
        case (.refusalsLeaveNoMark, .refused), (.unrelatedLeavesNoMark, .unrelated): before
        default: nil
        }
    }

    private mutating func apply(
        _ operation: DeliveryOperation, _ key: LaneKey, _ rules: inout LaneRules, _ time: Timestamp,
        _ verdict: (MessageID, MessageContent?) -> LaneRules.Verdict
    ) -> DeliveryOutcome {
        let kind = operation.kind
        let message = operation.message
        let previous = plantedFault == .ignoresGaps && operation.sequence > rules.mark ? rules.mark : operation.previous
        var decision = rules.decide(
            kind, sequence: operation.sequence, previous: previous, known: known(operation, key.account)
        ) {
            refusal(of: operation, by: key.account) ?? verdict(message, operation.content)
        }
        if plantedFault == .takesLateCopies, case .respond(.late) = decision { decision = .apply }
        switch decision {
        case .respond(let outcome):
            if let wrong = distorted(outcome, operation) { return wrong }
            return outcome
        case .apply:
            let last = operation.target.flatMap { accepted[$0]?.changedAt }
            let time = last.map { max(time, $0.advanced(by: .milliseconds(1))) } ?? time
            let serverPosition = store(operation, key, time)
            if let target = operation.target { apply(operation, to: target, by: key.account, time) }
            return .accepted(serverPosition)
        case .delete:
            guard let stored = accepted[message] else {
                if plantedFault != .forgetsEarlyDeletions {
                    earlyDeletions.insert(EarlyDeletion(account: key.account, message: message))
                }
                return .deleted
            }
            guard stored.key.account == key.account || plantedFault == .deletesForAnybody else {
                return .refused(code: "notYours", detail: "somebody else wrote it")
            }
            if plantedFault != .deletesNothing {
                accepted[message]?.isDeleted = true
                log.append(message)
            }
            return .deleted
        }
    }

    private func known(_ operation: DeliveryOperation, _ account: UserID?) -> LaneRules.Known {
        guard plantedFault != .forgetsMessages, let stored = accepted[operation.message], stored.key.account == account
        else { return .no }
        return .accepted(stored.serverPosition)
    }

    /// The real hub's reason when an operation conflicts with the stored messages.
    private func refusal(of operation: DeliveryOperation, by account: UserID?) -> LaneRules.Verdict? {
        if let stored = accepted[operation.message], stored.key.account != account {
            return .refuse(code: "idTaken", detail: "another account used the id")
        }
        let early = EarlyDeletion(account: account, message: operation.message)
        if operation.target != nil, earlyDeletions.contains(early) {
            return .refuse(code: "operationDeleted", detail: "it was deleted before it arrived")
        }
        if let parent = operation.parent, accepted[parent] == nil, plantedFault != .doesWhatIsAboutNothing {
            return .unrelated(detail: "no such parent")
        }
        guard let target = operation.target else { return nil }
        guard let stored = accepted[target] else {
            return plantedFault == .doesWhatIsAboutNothing ? nil : .unrelated(detail: "no such message")
        }
        if stored.isDeleted { return .refuse(code: "messageDeleted", detail: "it was deleted") }
        guard case .edit(_, target: _, let content) = operation.body else { return nil }
        if stored.key.account != account, plantedFault != .editsForAnybody {
            return .refuse(code: "notYours", detail: "somebody else wrote it")
        }
        return stored.content.type == content.type ? nil : .refuse(code: "typeDiffers", detail: "it has another type")
    }

    /// PlantedFault: returns another outcome than the rules'.
    private mutating func distorted(_ outcome: DeliveryOutcome, _ operation: DeliveryOperation) -> DeliveryOutcome? {
        switch (plantedFault, outcome) {
        case (.answersRepeatsAnew, .accepted(let serverPosition)):
            nextPosition += 1
            return .accepted(ServerPosition(position: nextPosition - 1, acceptedAt: serverPosition.acceptedAt))
        case (.fencesWhatItHas, .accepted) where operation.kind == .fence: return .fenced
        case (.namesAWrongMark, .gap(let mark)): return .gap(mark: mark + 1)
        case (.callsLateRefused, .late): return .refused(code: "late", detail: "it was passed")
        default: return nil
        }
    }

    private mutating func apply(
        _ operation: DeliveryOperation, to target: MessageID, by account: UserID?, _ time: Timestamp
    ) {
        accepted[target]?.applied.append(operation.message)
        log.append(target)
        accepted[target]?.changedAt = time
        switch operation.body {
        case .edit(_, target: _, let content):
            accepted[target]?.content = content
            accepted[target]?.editedAt = time
        case .addReaction(_, target: _, let name):
            accepted[target]?.reactions.insert(name)
            accepted[target]?.reactors[name, default: []].insert(account)
        case .removeReaction(_, target: _, let name):
            accepted[target]?.reactors[name]?.remove(account)
            if accepted[target]?.reactors[name]?.isEmpty ?? true { accepted[target]?.reactions.remove(name) }
        case .send, .write, .fence, .delete: break
        }
    }

    private mutating func store(_ operation: DeliveryOperation, _ key: LaneKey, _ time: Timestamp) -> ServerPosition {
        let message = operation.message
        let serverPosition = ServerPosition(position: nextPosition, acceptedAt: time)
        nextPosition += 1
        history.append(Stored(key: key, sequence: operation.sequence, message: message))
        if operation.target == nil { log.append(message) }
        if accepted[message] != nil {
            accepted[message]?.copies += 1
            accepted[message]?.isDeleted = false
        } else {
            accepted[message] = Accepted(
                key: key, sequence: operation.sequence, serverPosition: serverPosition,
                content: operation.content ?? .text(""),
                target: operation.target)
            if case .send(_, let channel, content: _, let createdAt, let parent, let tags) = operation.body {
                accepted[message]?.channel = channel
                accepted[message]?.createdAt = createdAt
                accepted[message]?.parent = parent
                accepted[message]?.tags = tags
                let early = EarlyDeletion(account: key.account, message: message)
                if earlyDeletions.remove(early) != nil { accepted[message]?.isDeleted = true }
            }
        }
        return serverPosition
    }
}

extension DeliveryOutcome {
    fileprivate var isGap: Bool {
        if case .gap = self { true } else { false }
    }

    fileprivate var isPutOff: Bool {
        if case .tryLater = self { true } else { false }
    }
}

extension DeliveryOperation {
    package var kind: LaneRules.Kind {
        switch body {
        case .send, .edit, .addReaction, .removeReaction, .write: .send
        case .fence: .fence
        case .delete: .delete
        }
    }

    package var message: MessageID {
        switch body {
        case .send(let id, channel: _, content: _, createdAt: _, parent: _, tags: _),
            .edit(let id, target: _, content: _), .addReaction(let id, target: _, name: _),
            .removeReaction(let id, target: _, name: _), .write(let id, _), .fence(let id), .delete(let id):
            id
        }
    }

    package var content: MessageContent? {
        switch body {
        case .send(_, channel: _, let content, createdAt: _, parent: _, tags: _), .edit(_, target: _, let content):
            content
        case .addReaction(_, target: _, let name), .removeReaction(_, target: _, let name): .text(name)
        case .write, .fence, .delete: nil
        }
    }

    package var parent: MessageID? {
        if case .send(_, channel: _, content: _, createdAt: _, let parent, tags: _) = body { parent } else { nil }
    }

    /// The message that an operation refers to.
    package var target: MessageID? {
        switch body {
        case .edit(_, let target, content: _), .addReaction(_, let target, name: _),
            .removeReaction(_, let target, name: _):
            target
        case .send, .write, .fence, .delete: nil
        }
    }
}
