internal import CausewayHubRules
internal import CausewayModels
internal import CausewayWire
internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Applies one delivery inside a transaction: reads what the hub remembers, lets the rules decide, stores the outcome.
///
/// The caller's transaction makes it whole: when `run` throws, everything it did is rolled back.
struct DeliveryApplication {
    private struct ChannelState {
        let number: Int64
        var lastPosition: Int64
        var isChanged = false
    }

    private let db: Database
    private let account: Account
    private let delivery: CheckedDelivery
    private let now: Timestamp
    private let fault: HubFaults.Fault?
    private var channels: [ChannelID: ChannelState] = [:]

    init(_ delivery: CheckedDelivery, of account: Account, now: Timestamp, fault: HubFaults.Fault?, in db: Database) {
        self.db = db
        self.account = account
        self.delivery = delivery
        self.now = now
        self.fault = fault
    }

    mutating func run() throws -> DeliveryVerdict {
        let (outbox, epoch) = try loadOutbox()
        var epochs = EpochRules(highest: epoch)
        guard epochs.admit(delivery.epoch) else { return .superseded(highest: epoch) }
        if epochs.highest != epoch { try store(epoch: epochs.highest, outbox: outbox) }

        let mark = try loadMark(outbox: outbox)
        var lane = LaneRules(mark: mark ?? 0)
        var results: [WireResult] = []
        results.reserveCapacity(delivery.operations.count)
        for operation in delivery.operations {
            results.append(WireResult(try apply(operation, &lane)))
        }
        if lane.mark != mark ?? 0 { try store(mark: lane.mark, outbox: outbox) }
        try storeChannels()
        return .report(WireReport(mark: lane.mark, results: results))
    }

    private mutating func apply(_ operation: CheckedDelivery.Operation, _ lane: inout LaneRules) throws
        -> DeliveryOutcome
    {
        let kind: LaneRules.Kind
        switch operation.body {
        case .send, .unacceptable: kind = .send
        case .fence: kind = .fence
        case .delete: kind = .delete
        }
        // A stopped delivery looks nothing up any more.
        let stored = lane.isStopped ? nil : try look(up: operation.id)
        let known: LaneRules.Known =
            if let stored, stored.sender == account.number { .accepted(stored.placement) } else { .no }
        let decision = try lane.decide(
            kind, sequence: operation.sequence, previous: operation.previous, known: known
        ) { () throws -> LaneRules.Verdict in
            try verdict(on: operation, stored: stored)
        }
        switch decision {
        case .answer(let outcome): return outcome
        case .apply: return try insert(operation)
        case .delete: return try delete(operation.id, stored)
        }
    }

    // MARK: - Messages

    private struct Stored {
        let sender: Int64
        let placement: Placement
        let isDeleted: Bool
    }

    private func look(up id: MessageID) throws -> Stored? {
        let statement = try db.cachedStatement(
            sql: "SELECT sender, position, accepted_at, deleted_at IS NOT NULL FROM message WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [Data(id.value.bytes)]) else { return nil }
        return Stored(
            sender: row[0],
            placement: Placement(position: row[1], acceptedAt: Timestamp(milliseconds: row[2])), isDeleted: row[3])
    }

    private mutating func verdict(on operation: CheckedDelivery.Operation, stored: Stored?) throws -> LaneRules.Verdict
    {
        if stored != nil {
            return .refuse(code: "idTaken", detail: "Another account already used the id \(operation.id).")
        }
        switch operation.body {
        case .unacceptable(let code, let detail):
            return .refuse(code: code, detail: detail)
        case .send(let channel, _, _):
            if case .tryLater(let sequence, let after) = fault, operation.sequence >= sequence {
                return .tryLater(code: "tryLater", detail: "A fault for a test.", after: after)
            }
            guard try load(channel) != nil else {
                return .refuse(code: "channelNotFound", detail: "There is no channel called \(channel).")
            }
            return .fine
        case .fence, .delete:
            return .fine
        }
    }

    private mutating func insert(_ operation: CheckedDelivery.Operation) throws -> DeliveryOutcome {
        guard case .send(let channel, let content, let createdAt) = operation.body, var state = try load(channel) else {
            preconditionFailure("Only a send into a channel that is there is found fine.")
        }
        state.lastPosition += 1
        state.isChanged = true
        channels[channel] = state
        let placement = Placement(position: state.lastPosition, acceptedAt: now)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO message (id, channel, position, sender, content, created_at, accepted_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            Data(operation.id.value.bytes), state.number, placement.position, account.number, content,
            createdAt.milliseconds, placement.acceptedAt.milliseconds,
        ])
        return .accepted(placement)
    }

    private func delete(_ id: MessageID, _ stored: Stored?) throws -> DeliveryOutcome {
        guard let stored else { return .deleted }
        guard stored.sender == account.number else {
            return .refused(code: "notYours", detail: "The message \(id) was sent by another account.")
        }
        if !stored.isDeleted {
            // The row stays as the proof that the id was used; what the message said is gone.
            let statement = try db.cachedStatement(
                sql: "UPDATE message SET content = NULL, deleted_at = ? WHERE id = ?")
            try statement.execute(arguments: [now.milliseconds, Data(id.value.bytes)])
        }
        return .deleted
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

    // MARK: - Epochs and marks

    private func loadOutbox() throws -> (number: Int64, epoch: Int64) {
        let key = Data(delivery.outbox.value.bytes)
        let statement = try db.cachedStatement(sql: "SELECT number, epoch FROM outbox WHERE account = ? AND id = ?")
        if let row = try Row.fetchOne(statement, arguments: [account.number, key]) { return (row[0], row[1]) }
        try db.cachedStatement(sql: "INSERT INTO outbox (account, id, epoch) VALUES (?, ?, 0)")
            .execute(arguments: [account.number, key])
        return (db.lastInsertedRowID, 0)
    }

    private func store(epoch: Int64, outbox: Int64) throws {
        try db.cachedStatement(sql: "UPDATE outbox SET epoch = ? WHERE number = ?").execute(arguments: [epoch, outbox])
    }

    private func loadMark(outbox: Int64) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT mark FROM lane WHERE outbox = ? AND name = ?")
        return try Int64.fetchOne(statement, arguments: [outbox, delivery.lane.rawValue])
    }

    private func store(mark: Int64, outbox: Int64) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO lane (outbox, name, mark) VALUES (?, ?, ?)
                ON CONFLICT (outbox, name) DO UPDATE SET mark = excluded.mark
                """)
        try statement.execute(arguments: [outbox, delivery.lane.rawValue, mark])
    }
}
