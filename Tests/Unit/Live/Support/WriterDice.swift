import CausewayModels
import CausewayStorage
import Synchronization

/// Generates the writes of a history.
struct WriterDice: Sendable {
    var random: SplitMix64
    let ids: [MessageID]
    let channels: [ChannelID]
    /// Whether writers also end sessions, whose changes are not listed.
    var isEndingSessions = true
    /// Whether ids and positions belong to one message each, as with every server: lists with deleted messages rely on
    /// it. Otherwise few positions are shared by many messages, and the ids of deleted messages are used again.
    var isUnique = false
    private var enqueued: Set<MessageID> = []

    init(seed: UInt64, messages: Int) {
        random = SplitMix64(seed: seed)
        // Ids do not ascend with the order of creation.
        ids = (0..<messages).map { number in
            let mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            return MessageID(UUIDv7(high: mixed, low: 0x8000_0000_0000_0000 | UInt64(number)))
        }
        channels = ["general", "random"].compactMap(ChannelID.init)
    }

    mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    enum Write: Sendable {
        case enqueue(MessageDraft)
        case commit([Mutation])
    }

    mutating func write() -> Write? {
        if below(3) == 0 { return enqueue() }
        return .commit((0..<(1 + below(3))).compactMap { _ in mutation() })
    }

    private mutating func enqueue() -> Write? {
        guard let sender = UserID("ada") else { return nil }
        let (id, channel) = (ids[below(ids.count)], channels[below(2)])
        if isUnique { guard isEnqueuedHere(id), enqueued.insert(id).inserted else { return nil } }
        let payload = payload()
        let time = Timestamp(milliseconds: Int64(below(1000)))
        if case .create(let content, let parent, let tags) = payload {
            return .enqueue(
                MessageDraft(
                    id: id, channel: channel, sender: sender, parent: parent, tags: tags, content: content,
                    createdAt: time,
                    lane: .text))
        }
        let draft = OperationDraft(
            id: id, channel: channel, sender: sender, payload: payload, createdAt: time, lane: .text)
        return .commit([.enqueue(draft)])
    }

    /// Half of the messages are created here, the others elsewhere.
    private func isEnqueuedHere(_ id: MessageID) -> Bool { (ids.firstIndex(of: id) ?? 0).isMultiple(of: 2) }

    /// The only position that a message gets.
    private func position(of id: MessageID) -> Int64 { Int64((ids.firstIndex(of: id) ?? 0) * 7 % 31 + 1) }

    private mutating func payload() -> OperationPayload {
        let other = ids[below(ids.count)]
        let text = "\(below(1000))"
        switch below(12) {
        case 0: return .edit(other, .text(text))
        case 1: return .addReaction(other, name: text)
        case 2: return .removeReaction(other, name: text)
        case 3: return .create(.text(text), parent: other)
        default: return .create(.text(text), parent: nil)
        }
    }

    /// The server reports a deletion.
    private mutating func report(_ id: MessageID, at position: ServerPosition, _ sender: UserID) -> Mutation {
        let left = DeletedMessage(
            id: id, channel: channels[below(2)], sender: sender, type: isOne(in: 2) ? .text : .image,
            createdAt: position.acceptedAt, serverPosition: position, deletedAt: position.acceptedAt)
        return .mergeRecords(RecordMerge([left.stored]))
    }

    private mutating func mutation() -> Mutation? {
        let id = ids[below(ids.count)]
        let time = Timestamp(milliseconds: Int64(below(1000)))
        // Few positions, so that many messages share them and moves cross each other.
        let serverPosition = ServerPosition(
            position: isUnique ? position(of: id) : Int64(1 + below(20)), acceptedAt: time)
        switch below(24) {
        case 0..<3: return .attempt(id, previous: 0, attempts: below(4), at: time)
        case 3: return .requeue(id, attempts: 0, at: time)
        case 4..<8: return .deliver(id, serverPosition, at: time)
        case 8..<11:
            return .fail(
                id, Failure(reason: .refused, code: "\(below(9))", detail: "", at: time), inDoubt: isOne(in: 2))
        case 11: return .settle(id)
        case 12, 13: return .resend(id, at: time)
        case 14..<17: return .delete(id)
        case 17..<22:
            guard let sender = UserID("grace") else { return nil }
            if isUnique, isEnqueuedHere(id), !enqueued.contains(id) { return nil }
            if isUnique, isOne(in: 4) { return report(id, at: serverPosition, sender) }
            return .merge(
                RemoteMessage(
                    id: id, channel: channels[below(2)], sender: sender, content: .text("edit \(below(1000))"),
                    createdAt: time, serverPosition: serverPosition), at: time)
        case 22:
            return .recordDelete(
                DeleteAction(
                    at: time, by: .cli, message: MessageID(UUIDv7(high: 1, low: 0x8000_0000_0000_0000)),
                    channel: channels[below(2)], type: .text, syncState: .error, lastFailure: nil))
        default:
            guard isEndingSessions else { return .delete(id) }
            return .endSession(Failure(reason: .sessionEnded, code: "ended", detail: "", at: time))
        }
    }
}

/// A counter for any thread.
final class WriteCount: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// The next number; `nil` once the bound is reached.
    func next(below bound: Int) -> Int? {
        value.withLock { value in
            guard value < bound else { return nil }
            value += 1
            return value
        }
    }
}
