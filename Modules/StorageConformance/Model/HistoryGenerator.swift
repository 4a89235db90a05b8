import CausewayModels
import CausewayStorage

/// Draws what happens to a store from a seed.
struct HistoryGenerator {
    enum Step {
        case enqueue(MessageDraft)
        case commit([Mutation])
        case restart(RestartPolicy)
    }

    private var random: SplitMix64
    /// Messages that a history is about; half of them are never enqueued.
    static let idsMax = 16

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    static let ids = (0..<idsMax).map(Sample.id)

    mutating func next(_ model: ReferenceModel) -> Step {
        switch random.next(upTo: 20) {
        case 0..<7: .enqueue(draft())
        case 7..<19: .commit((0..<(1 + random.next(upTo: 4))).map { _ in mutation(model) })
        default: .restart(random.next(upTo: 2) == 0 ? .fail : .resume)
        }
    }

    mutating func pageLimit() -> Int { 1 + random.next(upTo: 5) }

    private mutating func draft() -> MessageDraft {
        let number = random.next(upTo: Self.idsMax * 3 / 4)
        return Sample.draft(
            number, content(number), in: Sample.channels[random.next(upTo: 2)],
            lane: random.next(upTo: 3) == 0 ? .media : .text)
    }

    private mutating func content(_ number: Int) -> MessageContent {
        switch random.next(upTo: 4) {
        case 0: .custom(.object(["n": .integer(Int64(number)), "deep": .array([.null, .bool(true), .double(0.5)])]))
        default: .text("text \(number) \"\u{1F30A}\"\n" + String(repeating: "/", count: random.next(upTo: 30)))
        }
    }

    private mutating func mutation(_ model: ReferenceModel) -> Mutation {
        let number = random.next(upTo: Self.idsMax)
        let id = Sample.id(number)
        let small = Int64(random.next(upTo: 50))
        switch random.next(upTo: 24) {
        case 0..<5: return .attempt(id, previous: small, attempts: random.next(upTo: 4), at: Sample.time(small))
        case 5, 6: return .requeue(id, attempts: random.next(upTo: 4))
        case 7, 8: return .deliver(id, Sample.placement(1 + small))
        case 9, 10:
            return .fail(
                id, Sample.failure("c\(small)", pausesLane: small.isMultiple(of: 3)), inDoubt: small.isMultiple(of: 2))
        case 11: return .settle(id)
        case 12, 13: return .resend(id)
        case 14: return .delete(id)
        case 15: return .merge(Sample.placed(number, at: 1 + small, in: Sample.channels[number % 3]))
        case 16: return .recordDelete(Sample.deletion(number))
        case 17: return .appendDelete(id, lane: .text)
        case 18: return .saveSession(Sample.session(number))
        case 19: return small < 10 ? .endSession(Sample.failure("e", .sessionEnded)) : .settle(id)
        case 20: return small < 5 ? .forgetAccount : .raiseSequence(above: model.highest + small - 25)
        case 21: return .setLastTransmitted(.text, small)
        default: return chainMutation(model, id, small)
        }
    }

    private mutating func chainMutation(_ model: ReferenceModel, _ id: MessageID, _ small: Int64) -> Mutation {
        let controls = model.controls.map(\.sequence).sorted()
        let pending = model.messages.values.filter { $0.lane != nil }.map(\.laneSequence).sorted()
        let numbers = random.next(upTo: 2) == 0 || pending.isEmpty ? controls : pending
        // Also a number that names nothing.
        let sequence =
            numbers.isEmpty ? max(0, model.highest - small) : numbers[random.next(upTo: numbers.count)]
        switch random.next(upTo: 5) {
        case 0, 1:
            return .putControl(
                ControlEntry(
                    kind: small.isMultiple(of: 2) ? .fence : .retract, lane: .text, sequence: sequence,
                    previous: small.isMultiple(of: 3) ? nil : small, message: id))
        case 2: return .attemptControl(sequence: sequence, previous: small)
        case 3: return .removeControl(sequence: sequence)
        default: return .rebase(sequence: sequence, previous: small)
        }
    }
}

extension SplitMix64 {
    /// A number from 0 to below `bound`.
    mutating func next(upTo bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
