package import CausewayHubRules
package import CausewayModels

/// An independent implementation of the delivery contract for checking the hub: written from the contract alone,
/// without sharing code with `LaneRules` and `LineageRules`, so that a wrong rule there is found. Histories: see
/// ``HubChronicle``.
///
/// It keeps the whole history instead of a mark: every operation that a lane has processed, in order. From that it
/// derives for each operation of a delivery the only outcome that the contract allows, and compares. Afterwards it
/// replays the stored operations and compares the result with what the hub shows.
///
/// 1. A delivery is rejected as a whole unless its store knows everything done in its outbox before: the last known
///   opening is its own or one of its ancestors, and no other opening has advanced the lane beyond what its store had
///   transmitted when it was opened, or last to a sequence that its store left out, or with another operation than its
///   store's of the same sequence. Without an opening: unless a higher epoch is known.
/// 2. An operation is processed once: when it names the sequence that its lane processed last.
/// 3. An operation that names another sequence is a gap. Nothing after a gap, or after an operation that is deferred,
///   is processed.
/// 4. A stored id is answered with its first placement, in every lane and for ever.
/// 5. A sequence that a lane has passed without storing it is never stored from there: it is late, or refused once
///   more.
/// 6. A fence about an unknown id passes its position, a deletion is always answered, a refusal passes its position.
/// 7. Positions ascend. The result of an accepted message says whether it is deleted.
/// 8. A message that its account deleted before it arrived is stored as deleted, from any outbox; an edit or a reaction
///   that it deleted so is refused.
package struct HubOracle: Sendable {
    private struct Lane: Hashable {
        var account: UserID?
        var outbox: OutboxID
        var lane: LaneID
    }

    private struct Outbox: Hashable {
        var account: UserID?
        var outbox: OutboxID
    }

    /// An opening of a store, and an operation with which it advanced a lane.
    private struct Passed {
        var opening: OpeningID
        var sequence: Int64
        var message: OperationID
    }

    private struct Stored {
        var operation: DeliveryOperation
        var account: UserID?
        var serverPosition: ServerPosition
        var isDeleted = false
    }

    /// The outcomes that the contract allows.
    private enum Expected {
        case exactly(DeliveryOutcome)
        case refused(code: String)
        case unrelated
        /// Accepted, at a position after every other one.
        case newPlace
    }

    /// The sequences that a lane has processed, in order.
    private var dealt: [Lane: [Int64]] = [:]
    /// The epochs of the admitted deliveries.
    private var openings: [Outbox: [Int64]] = [:]
    /// The admitted openings, in order.
    private var heard: [Outbox: [OpeningID]] = [:]
    private var passed: [Lane: [Passed]] = [:]
    /// Openings that were rejected because another one had advanced a lane.
    private var barred: [Outbox: Set<OpeningID>] = [:]
    private var stored: [MessageID: Stored] = [:]
    /// The messages that accounts deleted, whether they had arrived or not.
    private var deleted: [UserID?: Set<MessageID>] = [:]
    /// Operations on a message, in the order in which they were applied.
    private var done: [MessageID: [MessageID]] = [:]
    private var lastPosition: Int64 = 0
    var chronicle = HubChronicle(HubIdentity().present)

    package init() {}

    /// The marks of the lanes of an outbox.
    func dealtMarks(of outbox: OutboxID, _ account: UserID?) -> [LaneID: Int64] {
        let own = dealt.filter { $0.key.outbox == outbox && $0.key.account == account && !$0.value.isEmpty }
        return Dictionary(uniqueKeysWithValues: own.map { ($0.key.lane, $0.value.max() ?? 0) })
    }

    /// The openings that advanced the lanes of an outbox last.
    func dealtMovers(of outbox: OutboxID, _ account: UserID?) -> [LaneID: OpeningID] {
        let own = passed.filter { $0.key.outbox == outbox && $0.key.account == account }
        return Dictionary(
            uniqueKeysWithValues: own.compactMap { lane, passed in passed.last.map { (lane.lane, $0.opening) } })
    }

    /// Passes a delivery to the hub, and checks the result.
    ///
    /// - Returns: the hub's result, and a description of what is wrong with it; `nil` when nothing is.
    package mutating func apply(
        _ delivery: Delivery, to hub: inout ModelHub, account: UserID? = nil, at time: Timestamp,
        verdict: (MessageID, MessageContent?) -> LaneRules.Verdict
    ) -> (result: Result<DeliveryReport, TransportError>, objection: String?) {
        var verdicts: [MessageID: LaneRules.Verdict] = [:]
        do throws(TransportError) {
            let report = try hub.apply(delivery, account: account, at: time) { message, content in
                let given = verdict(message, content)
                verdicts[message] = given
                return given
            }
            let before = mark(of: Lane(account: account, outbox: delivery.outbox, lane: delivery.lane))
            let objection = objection(to: report, delivery, account, verdicts) ?? difference(from: hub, delivery)
            let hasChanged = report.mark != before || report.outcomes.contains(.deleted)
            let uncounted = chronicle.objection(toCommit: hub.present, hasChanged: hasChanged)
            return (.success(report), objection ?? uncounted)
        } catch {
            return (.failure(error), objection(to: error, delivery, account))
        }
    }

    // MARK: - Openings

    private mutating func objection(
        to error: TransportError, _ delivery: Delivery, _ account: UserID?
    ) -> String? {
        let outbox = Outbox(account: account, outbox: delivery.outbox)
        if case .historyChanged = error {
            let isOther = delivery.history.map { !$0.isSame(as: chronicle.name) || chronicle.isBeforeStart($0) }
            return isOther ?? false ? nil : "the hub turns away a delivery of its own history and start"
        }
        if case .storeForked = error, let opening = delivery.opening {
            let isKnown = isDescendant(delivery, opening, outbox)
            if isKnown, isOvertaken(delivery, opening, account) {
                barred[outbox, default: []].insert(opening)
                return nil
            }
            return isKnown ? "the hub turns away an opening that knows everything that was done" : nil
        }
        guard case .actionRequired(let actionRequired) = error, actionRequired.cause == .superseded else {
            return "the hub's rules end in an error: \(error)"
        }
        let isOld = openings[outbox, default: []].contains { $0 > delivery.epoch }
        return isOld ? nil : "the hub turns away epoch \(delivery.epoch), and has heard no newer one"
    }

    private func isDescendant(_ delivery: Delivery, _ opening: OpeningID, _ outbox: Outbox) -> Bool {
        if barred[outbox]?.contains(opening) == true { return false }
        guard let last = heard[outbox]?.last else { return true }
        return last == opening || delivery.ancestors.contains(last)
    }

    private func isOvertaken(_ delivery: Delivery, _ opening: OpeningID, _ account: UserID?) -> Bool {
        let lane = Lane(account: account, outbox: delivery.outbox, lane: delivery.lane)
        let passed = passed[lane, default: []]
        // Its last advance there was checked when it arrived.
        if passed.last?.opening == opening { return false }
        if passed.contains(where: { $0.opening != opening && $0.sequence > delivery.base }) { return true }
        guard let last = passed.last else { return false }
        return delivery.operations.contains { excludes(last, $0) }
    }

    /// True if a store that has an operation in its chain has not advanced the lane so.
    private func excludes(_ passed: Passed, _ operation: DeliveryOperation) -> Bool {
        if operation.sequence == passed.sequence { return operation.message != passed.message }
        return operation.previous < passed.sequence && passed.sequence < operation.sequence
    }

    /// Reports a delivery that was admitted although it had to be rejected.
    private mutating func wrongAdmission(_ delivery: Delivery, _ account: UserID?) -> String? {
        let outbox = Outbox(account: account, outbox: delivery.outbox)
        guard let opening = delivery.opening else {
            if let newer = openings[outbox, default: []].first(where: { $0 > delivery.epoch }) {
                return "the hub deals with epoch \(delivery.epoch), and has heard \(newer)"
            }
            openings[outbox, default: []].append(delivery.epoch)
            return nil
        }
        if !isDescendant(delivery, opening, outbox) { return "the hub deals with a copy of a store, after another one" }
        if isOvertaken(delivery, opening, account) { return "the hub deals with a copy that another one has overtaken" }
        if heard[outbox]?.last != opening { heard[outbox, default: []].append(opening) }
        return nil
    }

    // MARK: - Outcomes

    private mutating func objection(
        to report: DeliveryReport, _ delivery: Delivery, _ account: UserID?,
        _ verdicts: [MessageID: LaneRules.Verdict]
    ) -> String? {
        if let history = delivery.history, !history.isSame(as: chronicle.name) {
            return "the hub deals with a delivery of a former history"
        }
        if let history = delivery.history, chronicle.isBeforeStart(history) {
            return "the hub deals with a delivery that was sent before its start"
        }
        if let wrong = wrongAdmission(delivery, account) { return wrong }
        guard report.outcomes.count == delivery.operations.count else {
            return "the hub gives \(report.outcomes.count) outcomes of \(delivery.operations.count) operations"
        }
        let lane = Lane(account: account, outbox: delivery.outbox, lane: delivery.lane)
        var isOver = false
        var deletedSince: Set<MessageID> = []
        for (operation, outcome) in zip(delivery.operations, report.outcomes) {
            let mark = mark(of: lane)
            let expected =
                isOver ? .exactly(.notAttempted) : expected(of: operation, mark, account, verdicts[operation.message])
            guard fits(outcome, expected) else {
                return "the hub answers \(operation.previous)<\(operation.sequence) of \(operation.message.value.low)"
                    + " with \(outcome) at mark \(mark); the contract says \(expected)"
            }
            switch outcome {
            case .gap, .tryLater, .notAttempted: isOver = true
            default:
                if let opening = delivery.opening, operation.sequence > mark {
                    passed[lane, default: []].append(
                        Passed(opening: opening, sequence: operation.sequence, message: operation.message))
                }
                if let wrong = note(outcome, of: operation, lane, isNew: operation.sequence > mark) { return wrong }
                if case .accepted = outcome, stored[operation.message]?.isDeleted == true {
                    deletedSince.insert(operation.message)
                }
            }
        }
        if report.deletedSince != deletedSince {
            return "the hub names \(report.deletedSince.count) of \(deletedSince.count) messages that are deleted"
        }
        let mark = mark(of: lane)
        return report.mark == mark ? nil : "the hub reports mark \(report.mark), and its lane stands at \(mark)"
    }

    /// The sequence that the lane processed last.
    private func mark(of lane: Lane) -> Int64 { dealt[lane, default: []].max() ?? 0 }

    private func expected(
        of operation: DeliveryOperation, _ mark: Int64, _ account: UserID?, _ verdict: LaneRules.Verdict?
    ) -> Expected {
        let isPassed = operation.sequence <= mark
        if !isPassed, operation.previous != mark { return .exactly(.gap(mark: mark)) }
        let known = stored[operation.message]
        let isOwn = known.map { $0.account == account } ?? false
        switch operation.kind {
        case .delete: return known == nil || isOwn ? .exactly(.deleted) : .refused(code: "notYours")
        case .fence, .send:
            if let known, isOwn { return .exactly(.accepted(known.serverPosition)) }
            if operation.kind == .fence { return .exactly(.fenced) }
        }
        if let no = known == nil ? refusal(of: operation, by: account) : .refused(code: "idTaken") { return no }
        switch verdict {
        case .refuse(let code, let detail): return .exactly(.refused(code: code, detail: detail))
        case .unrelated: return .unrelated
        case .tryLater(let code, let detail, let after) where !isPassed:
            return .exactly(.tryLater(code: code, detail: detail, after: after))
        case .tryLater, .fine, nil: return isPassed ? .exactly(.late(mark: mark)) : .newPlace
        }
    }

    /// The refusal that follows from the stored messages.
    private func refusal(of operation: DeliveryOperation, by account: UserID?) -> Expected? {
        if operation.target != nil, deleted[account]?.contains(operation.message) == true {
            return .refused(code: "operationDeleted")
        }
        if let parent = operation.parent, stored[parent] == nil { return .unrelated }
        guard let target = operation.target else { return nil }
        guard let about = stored[target] else { return .unrelated }
        if about.isDeleted { return .refused(code: "messageDeleted") }
        guard case .edit(_, target: _, let content) = operation.body else { return nil }
        if about.account != account { return .refused(code: "notYours") }
        return about.operation.content?.type == content.type ? nil : .refused(code: "typeDiffers")
    }

    private func fits(_ outcome: DeliveryOutcome, _ expected: Expected) -> Bool {
        switch (expected, outcome) {
        case (.exactly(let only), _): outcome == only
        case (.refused(let code), .refused(let given, _)): given == code
        case (.unrelated, .unrelated): true
        case (.newPlace, .accepted(let serverPosition)): serverPosition.position > lastPosition
        default: false
        }
    }

    private mutating func note(
        _ outcome: DeliveryOutcome, of operation: DeliveryOperation, _ lane: Lane, isNew: Bool
    ) -> String? {
        if isNew { dealt[lane, default: []].append(operation.sequence) }
        switch outcome {
        case .accepted(let serverPosition) where operation.kind == .send && stored[operation.message] == nil:
            stored[operation.message] = Stored(
                operation: operation, account: lane.account, serverPosition: serverPosition,
                isDeleted: operation.target == nil && deleted[lane.account]?.contains(operation.message) ?? false)
            lastPosition = serverPosition.position
            if let target = operation.target { done[target, default: []].append(operation.message) }
            return chronicle.objection(toPlacing: operation.message, at: serverPosition)
        case .deleted:
            stored[operation.message]?.isDeleted = true
            deleted[lane.account, default: []].insert(operation.message)
        default: break
        }
        return nil
    }

    // MARK: - Stored messages

    /// Checks that the messages of a delivery appear on the hub as its history requires.
    private func difference(from hub: ModelHub, _ delivery: Delivery) -> String? {
        if hub.history.count != stored.count || hub.accepted.count != stored.count {
            return
                "the hub has stored \(hub.history.count) operations under \(hub.accepted.count) ids, and should have "
                + "\(stored.count)"
        }
        for operation in delivery.operations {
            if let broken = difference(from: hub, about: operation.message) { return broken }
            if let target = operation.target, let broken = difference(from: hub, about: target) { return broken }
        }
        return nil
    }

    private func difference(from hub: ModelHub, about id: MessageID) -> String? {
        guard let own = stored[id] else { return hub.accepted[id] == nil ? nil : "the hub has stored \(id.value.low)" }
        guard let shown = hub.accepted[id] else { return "the hub has lost \(id.value.low)" }
        if shown.isDeleted != own.isDeleted { return "the hub shows \(id.value.low) deleted: \(shown.isDeleted)" }
        if shown.serverPosition != own.serverPosition { return "the hub has moved \(id.value.low)" }
        var content = own.operation.content
        var reactors: [String: Set<UserID?>] = [:]
        for one in done[id, default: []].compactMap({ stored[$0] }) {
            switch one.operation.body {
            case .edit(_, target: _, let edited): content = edited
            case .addReaction(_, target: _, let name): reactors[name, default: []].insert(one.account)
            case .removeReaction(_, target: _, let name): reactors[name]?.remove(one.account)
            case .send, .write, .fence, .delete: break
            }
        }
        if shown.content != content {
            return "the hub shows \(id.value.low) with another content than its history gives"
        }
        let given = reactors.filter { !$0.value.isEmpty }
        return shown.reactors.filter { !$0.value.isEmpty } == given
            ? nil : "the hub shows \(id.value.low) with other reactions than its history gives"
    }
}

/// Equal to every other oracle: it follows from the rest of the world's state.
extension HubOracle: Hashable {
    package static func == (_: HubOracle, _: HubOracle) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}
