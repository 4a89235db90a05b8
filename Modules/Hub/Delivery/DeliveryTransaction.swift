internal import CausewayHubRules
internal import CausewayModels
internal import CausewayWire
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Applies one delivery inside a transaction: reads the stored state, lets the rules decide, stores the outcome.
///
/// The caller's transaction makes it atomic: when `run` throws, all of its changes are rolled back.
struct DeliveryTransaction {
    private struct ChannelState {
        let number: Int64
        var lastPosition: Int64
        var isChanged = false
    }

    let db: Database
    let account: Account
    let delivery: ValidatedDelivery
    let now: Timestamp
    private let fault: HubFaults.Fault?
    private let opening: [UInt8]
    private let history: HubHistory
    private var hasDeleted = false
    private var channels: [ChannelID: ChannelState] = [:]
    /// The hub's revision after this delivery; `nil` as long as it has changed nothing.
    private var revision: Int64?

    /// - Parameter opening: the opening of the database, see ``ChangesCursor``.
    init(
        _ delivery: ValidatedDelivery, of account: Account, now: Timestamp, fault: HubFaults.Fault?, opening: [UInt8],
        history: HubHistory, in db: Database
    ) {
        self.opening = opening
        self.history = history
        self.db = db
        self.account = account
        self.delivery = delivery
        self.now = now
        self.fault = fault
    }

    mutating func run() throws -> DeliveryVerdict {
        let outbox = try loadOutbox()
        let mark = try loadMark(outbox: outbox.number)
        var lineage = outbox.lineage
        let verdict = lineage.admit(
            delivery.claim, isBarred: try isBarred(outbox: outbox.number), mark: mark?.mark ?? 0, mover: mark?.mover)
        switch verdict {
        case .admitted: if lineage != outbox.lineage { try store(lineage, outbox: outbox.number) }
        case .superseded: return .superseded(highest: lineage.highest)
        case .forkedInside:
            try bar(outbox: outbox.number)
            return .forked
        case .forked: return .forked
        }

        var lane = LaneRules(mark: mark?.mark ?? 0)
        var results: [WireResult] = []
        results.reserveCapacity(delivery.operations.count)
        for operation in delivery.operations {
            results.append(WireResult(try apply(operation, &lane)))
        }
        if lane.mark != mark?.mark ?? 0 {
            try store(mark: lane.mark, outbox: outbox.number, commit: history.takeCommit())
        } else if hasDeleted {
            try noteChange(outbox: outbox.number, commit: history.takeCommit())
        }
        try storeChannels()
        return .report(WireReport(mark: lane.mark, results: results, opening: delivery.claim.opening))
    }

    private mutating func apply(_ operation: ValidatedDelivery.Operation, _ lane: inout LaneRules) throws
        -> DeliveryOutcome
    {
        let kind: LaneRules.Kind
        switch operation.body {
        case .send, .edit, .react, .unacceptable: kind = .send
        case .fence: kind = .fence
        case .delete: kind = .delete
        }
        // A stopped delivery looks nothing up any more.
        let stored = lane.isStopped ? nil : try look(up: operation)
        let known: LaneRules.Known =
            if let stored, stored.sender == account.number { .accepted(stored.serverPosition) } else { .no }
        let decision = try lane.decide(
            kind, sequence: operation.sequence, previous: operation.previous, known: known
        ) { () throws -> LaneRules.Verdict in
            try verdict(on: operation, stored: stored)
        }
        switch decision {
        case .respond(let outcome): return outcome
        case .apply: return try apply(operation)
        case .delete:
            hasDeleted = true
            return try delete(operation.id, stored)
        }
    }

    /// The revision of everything that this delivery changes.
    mutating func revise() throws -> Int64 {
        if let revision { return revision }
        let next = try ChangesCursor.advance(as: opening, in: db)
        revision = next
        return next
    }

    // MARK: - Messages

    struct Stored {
        let number: Int64
        let sender: Int64
        let serverPosition: ServerPosition
        let isDeleted: Bool
    }

    /// Returns what was accepted under the operation's id: a message, or an operation on one.
    private func look(up operation: ValidatedDelivery.Operation) throws -> Stored? {
        switch operation.body {
        case .send: try message(operation.id)
        case .edit, .react: try accepted(operation.id)
        // Only these may refer to either.
        case .fence, .unacceptable: try message(operation.id) ?? accepted(operation.id)
        case .delete: try message(operation.id)
        }
    }

    func message(_ id: MessageID) throws -> Stored? {
        let statement = try db.cachedStatement(
            sql: "SELECT number, sender, position, accepted_at, deleted_at IS NOT NULL FROM message WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Data(id.value.bytes)]) else { return nil }
        return Stored(
            number: row[0], sender: row[1],
            serverPosition: ServerPosition(position: row[2], acceptedAt: Timestamp(milliseconds: row[3])),
            isDeleted: row[4])
    }

    private mutating func verdict(on operation: ValidatedDelivery.Operation, stored: Stored?) throws
        -> LaneRules.Verdict
    {
        if stored != nil {
            return .refuse(code: "idTaken", detail: "another account already used the id \(operation.id)")
        }
        switch operation.body {
        case .unacceptable(let code, let detail):
            return .refuse(code: code, detail: detail)
        case .send(let channel, _, _, let parent):
            if case .tryLater(let sequence, let after) = fault, operation.sequence >= sequence {
                return .tryLater(code: "tryLater", detail: "A fault for a test.", after: after)
            }
            guard try load(channel) != nil else {
                return .refuse(code: "channelNotFound", detail: "no channel named \(channel)")
            }
            if let parent, try message(parent) == nil {
                return .unrelated(detail: "message \(parent), to which it replies, is not on this hub")
            }
            return .fine
        case .edit(let target, let type, _): return try verdict(onEditing: target, to: type)
        case .react(let target, let name, let isAdded): return try verdict(onReactingTo: target, name, isAdded)
        case .fence, .delete:
            return .fine
        }
    }

    private mutating func apply(_ operation: ValidatedDelivery.Operation) throws -> DeliveryOutcome {
        switch operation.body {
        case .edit(let target, _, let content): try edit(target, content, as: operation.id)
        case .react(let target, let name, let isAdded): try react(target, name, isAdded, as: operation.id)
        case .send, .unacceptable, .fence, .delete: try insert(operation)
        }
    }

    private mutating func insert(_ operation: ValidatedDelivery.Operation) throws -> DeliveryOutcome {
        guard case .send(let channel, let content, let createdAt, let parent) = operation.body,
            var state = try load(channel)
        else {
            preconditionFailure("Only a send into a channel that is there is found fine.")
        }
        let revision = try revise()
        state.lastPosition += 1
        state.isChanged = true
        channels[channel] = state
        let serverPosition = ServerPosition(position: state.lastPosition, acceptedAt: now)
        let isDeleted = try takeEarlyDeletion(of: operation.id)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO message
                    (id, channel, position, sender, content, created_at, accepted_at, parent, deleted_at,
                    revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            Data(operation.id.value.bytes), state.number, serverPosition.position, account.number,
            isDeleted ? nil : content, createdAt.milliseconds, serverPosition.acceptedAt.milliseconds,
            parent.map { Data($0.value.bytes) }, isDeleted ? now.milliseconds : nil,
            isDeleted ? revision : nil,
        ])
        return .accepted(serverPosition)
    }

    // MARK: - Channels

    private mutating func load(_ channel: ChannelID) throws -> ChannelState? {
        if let state = channels[channel] { return state }
        let statement = try db.cachedStatement(sql: "SELECT number, last_position FROM channel WHERE name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [channel.value]) else { return nil }
        let state = ChannelState(number: row[0], lastPosition: row[1])
        channels[channel] = state
        return state
    }

    private func storeChannels() throws {
        let statement = try db.cachedStatement(sql: "UPDATE channel SET last_position = ? WHERE number = ?")
        for state in channels.values where state.isChanged {
            try statement.execute(arguments: [state.lastPosition, state.number])
        }
    }
}
