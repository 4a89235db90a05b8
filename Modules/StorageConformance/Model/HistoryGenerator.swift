import CausewayModels
import CausewayStorage

/// Generates the steps of a store's history from a seed.
struct HistoryGenerator {
    enum Step {
        case enqueue(MessageDraft)
        case commit([Mutation])
        case restart(RestartPolicy)
    }

    private var random: SplitMix64
    /// Message ids in a history; half of them are never enqueued.
    static let idsMax = 16

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    static let ids = (0..<idsMax).map(Sample.id)

    mutating func next(_ model: ReferenceModel) -> Step {
        switch random.next(upTo: 21) {
        case 0..<7: enqueue(model)
        case 7: enqueueInCommit(model)
        case 8:
            random.next(upTo: 2) == 0
                ? .commit([.forkOutbox(outboxID(), at: Sample.time(1))]) : .commit([followHistory(model)])
        case 9..<19: .commit((0..<(1 + random.next(upTo: 4))).map { _ in mutation(model) })
        case 19: .commit([.saveSession(session(of: Self.users[random.next(upTo: Self.users.count)]))])
        default: .restart(random.next(upTo: 2) == 0 ? .fail : .resume)
        }
    }

    private mutating func followHistory(_ model: ReferenceModel) -> Mutation {
        var marks: [LaneID: Int64] = [:]
        for lane in [LaneID.text, .media] where random.next(upTo: 3) > 0 {
            marks[lane] = Int64(random.next(upTo: Int(model.highest) + 2))
        }
        return .followHistory(
            Sample.history(random.next(upTo: 9)), outboxID(), marks: marks, at: Sample.time(2))
    }

    private mutating func outboxID() -> OutboxID { OutboxID(UUIDv7(high: 7, low: UInt64(random.next(upTo: 99)))) }
    private static let users = [Sample.me, Sample.other]

    private mutating func session(of user: UserID) -> Session {
        let server = random.next(upTo: 2) == 0 ? "https://chat.example" : "https://Chat.example:443/"
        return Sample.session(random.next(upTo: 1000), of: user, at: server)
    }

    mutating func pageLimit() -> Int { 1 + random.next(upTo: 5) }

    private mutating func enqueue(_ model: ReferenceModel) -> Step {
        switch draft(model) {
        case .message(let draft): .enqueue(draft)
        case .operation(let draft):
            model.items[draft.id] == nil ? .commit([.enqueue(draft)]) : next(model)
        }
    }

    private enum Draft {
        case message(MessageDraft)
        case operation(OperationDraft)
    }

    private mutating func draft(_ model: ReferenceModel) -> Draft {
        var number = random.next(upTo: Self.idsMax * 3 / 4)
        // An operation can only target an existing message.
        if model.items.values.contains(where: { $0.target == Sample.id(number) }) {
            number = Self.idsMax - 2
        }
        let lane: LaneID = random.next(upTo: 3) == 0 ? .media : .text
        let channel = Sample.channels[random.next(upTo: 2)]
        guard Self.isOperation(number) else {
            let parent = Sample.id(number + 1)
            let isReply = !Self.isOperation(number + 1) && random.next(upTo: 3) == 0
            return .message(
                Sample.draft(
                    number, content(number), in: channel, lane: lane, parent: isReply ? parent : nil,
                    tags: Self.tags[number / 2 % Self.tags.count]))
        }
        let other = Sample.id(random.next(upTo: 3))
        guard model.messages[other] != nil else {
            return .message(Sample.draft(Self.idsMax - 4, content(0), in: channel, lane: lane))
        }
        let reaction = ["wave", "+1"][random.next(upTo: 2)]
        let payload: OperationPayload =
            switch random.next(upTo: 3) {
            case 0: .edit(other, content(number))
            case 1: .addReaction(other, name: reaction)
            default: .removeReaction(other, name: reaction)
            }
        return .operation(Sample.operation(number, payload, in: channel))
    }

    private static let tags = [[], [], ["urgent"], ["b\u{1F30A}", "urgent"]]

    /// The ids of operations are disjoint from those of messages.
    private static func isOperation(_ number: Int) -> Bool { number % 4 == 3 }

    /// A draft within a commit, if its id is new.
    private mutating func enqueueInCommit(_ model: ReferenceModel) -> Step {
        let draft: OperationDraft =
            switch draft(model) {
            case .message(let draft): OperationDraft(draft)
            case .operation(let draft): draft
            }
        guard model.items[draft.id] == nil else { return .commit([mutation(model)]) }
        return .commit([.enqueue(draft), mutation(model), mutation(model)])
    }

    private mutating func content(_ number: Int) -> MessageContent {
        switch random.next(upTo: 6) {
        case 0, 1: Sample.image(random.next(upTo: 3))
        case 2: .custom(.object(["n": .integer(Int64(number)), "deep": .array([.null, .bool(true), .double(0.5)])]))
        default: .text("text \(number) \"\u{1F30A}\"\n" + String(repeating: "/", count: random.next(upTo: 30)))
        }
    }

    private mutating func mutation(_ model: ReferenceModel) -> Mutation {
        let number = random.next(upTo: Self.idsMax)
        let id = Sample.id(number)
        let small = Int64(random.next(upTo: 50))
        switch random.next(upTo: 34) {
        case 0..<5: return .attempt(id, previous: small, attempts: random.next(upTo: 4), at: Sample.time(small))
        case 5, 6: return .requeue(id, attempts: random.next(upTo: 4), at: Sample.time(small))
        case 7, 8: return .deliver(id, Sample.serverPosition(1 + small), at: Sample.time(small))
        case 9, 10:
            return .fail(
                id, Sample.failure("c\(small)", pausesLane: small.isMultiple(of: 3)), inDoubt: small.isMultiple(of: 2))
        case 11: return .settle(id)
        case 12: return .resend(id, at: Sample.time(small))
        case 13: return small < 25 ? .park(id, Sample.failure("p\(small)")) : .resend(id, at: Sample.time(small))
        case 14: return .delete(id)
        case 15 where Self.isOperation(number): return .settle(id)
        case 15: return .merge(placed(number, 1 + small), at: Sample.time(small))
        case 16: return .recordDelete(Sample.deletion(number))
        case 17: return .appendDelete(id, lane: .text)
        case 18: return .saveSession(session(of: model.account?.user ?? Sample.me))
        case 19 where small == 10: return .eraseAccount(OutboxID(id.value))
        case 19: return small < 10 ? .endSession(Sample.failure("e", .sessionEnded)) : .settle(id)
        case 20, 21: return .setLastTransmitted(.text, small)
        case 22: return .rewrite(id, content(number))
        case 23: return .setEventCursor(small < 5 ? nil : EventCursor(rawValue: "cursor \(small)"))
        case 30, 31: return prune(model)
        case 24..<30: return .upload(id, uploadStep(), at: Sample.time(small))
        default: return chainMutation(model, id, small)
        }
    }

    private mutating func prune(_ model: ReferenceModel) -> Mutation {
        let ids = (0..<4).map { _ in Sample.id(random.next(upTo: Self.idsMax)) }
        return .prune(ids, of: random.next(upTo: 8) == 0 ? Sample.account : model.account ?? Sample.account)
    }

    private mutating func uploadStep() -> UploadStep {
        let number = random.next(upTo: 5)
        switch random.next(upTo: 7) {
        case 0, 1: return .begin(attempts: number)
        case 2: return .open(session: "/uploads/\(number)")
        case 3: return .progress
        case 4: return .requeue(session: number < 2 ? nil : "/uploads/\(number)", attempts: number)
        case 5: return .complete(receipt: "receipt \(number)")
        default: return .startAgain
        }
    }

    private mutating func placed(_ number: Int, _ position: Int64) -> RemoteMessage {
        var placed = Sample.placed(number, at: position, in: Sample.channels[number % 3])
        placed.body.tags = Self.tags[(number + Int(position)) % Self.tags.count]
        switch random.next(upTo: 4) {
        case 0:
            placed.body.editedAt = Sample.time(Int64(random.next(upTo: 60)))
            placed.body.changedAt = placed.body.editedAt
        case 1:
            placed.body.changedAt = Sample.time(Int64(random.next(upTo: 60)))
            placed.body.reactions = ["wave": 2]
            if random.next(upTo: 2) == 0 { placed.body.myReactions = ["wave"] }
        default: break
        }
        return placed
    }

    private mutating func chainMutation(_ model: ReferenceModel, _ id: MessageID, _ small: Int64) -> Mutation {
        let controls = model.controls.map(\.sequence).sorted()
        let pending = model.items.values.filter { $0.lane != nil }.map(\.laneSequence).sorted()
        let numbers = random.next(upTo: 2) == 0 || pending.isEmpty ? controls : pending
        // Includes a number without an entry.
        let sequence =
            numbers.isEmpty ? max(0, model.highest - small) : numbers[random.next(upTo: numbers.count)]
        switch random.next(upTo: 5) {
        case 0, 1:
            return .putMarker(
                ChainMarker(
                    kind: small.isMultiple(of: 2) ? .fence : .retract, lane: .text, sequence: sequence,
                    previous: small.isMultiple(of: 3) ? nil : small, message: id))
        case 2: return .attemptMarker(sequence: sequence, previous: small)
        case 3: return .removeMarker(sequence: sequence)
        default: return .rebase(sequence: sequence, previous: small)
        }
    }
}

extension SplitMix64 {
    /// A number from 0 to below `bound`.
    mutating func next(upTo bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
