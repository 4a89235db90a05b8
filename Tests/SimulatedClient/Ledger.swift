import CausewayModels
import CausewaySimulatedHub

/// What an all-knowing witness writes down: what was created, what was asked for, what was told to whom.
struct Ledger {
    /// A message that a store took in.
    struct Record {
        /// In the order of creation over all devices; what stories call it.
        let number: Int
        let device: Int
        let message: Message
        /// Its creator was told that it is safe.
        var isAccepted = false
        /// Somebody asked for its deletion.
        var isDeletionWanted = false
        /// Its store has deleted it.
        var isDeleted = false
        var resends = 0
        /// What became of it on the hub cannot be known or mended any more: a copy of its store went on and sent it.
        /// Order and one copy at most still hold.
        var isExcused = false
        /// The network brought a request with it twice: the hub may say no to one copy and take the other. What is said
        /// of it then holds at the end, when the hub has been asked once more.
        var isRepeated = false
        /// What left under its name, by its place in the lane.
        var sentContents: [Int64: MessageContent] = [:]
        /// Edits of it that somebody asked for.
        var edits = 0
        /// Somebody deleted an operation on it that had left already.
        var hasLostOperations = false
        /// The devices whose operations on it the hub has applied.
        var operatingDevices: Set<Int> = []
        /// A page said that it is gone from the hub.
        var isGoneByPage = false
        /// The hub has said no to it, or to a request that it was in.
        var wasRefused = false
    }

    var records: [MessageID: Record] = [:]
    var created: [MessageID] = []
    /// A lane of a device, under whatever outbox id it was sent.
    struct Lane: Hashable {
        var device: Int
        var account: UserID?
        var lane: LaneID
    }

    /// The place of what the hub stored last, in each lane.
    var lastStored: [ModelHub.LaneKey: Int64] = [:]
    /// The creation order of what the hub stored last and was never sent again, in each lane.
    var lastOrdinal: [ModelHub.LaneKey: Int64] = [:]
    /// The same over all outboxes that a device has had.
    var lastOrdinalOfDevice: [Lane: Int64] = [:]
    /// What hubs have ever done to each message, and how it read there last.
    var applied: [MessageID: Set<MessageID>] = [:]
    var lastContents: [MessageID: MessageContent] = [:]
    /// The outbox ids that clients gave up when the hub's history had changed.
    var formerOutboxes: Set<OutboxID> = []
    /// What accounts had deleted on the hub.
    var deletedOnHub: Set<MessageID> = []
    /// How many entries of the hub's history were looked at.
    var seenOfHistory = 0

    func number(_ id: MessageID) -> Int { records[id]?.number ?? 0 }

    mutating func take(_ message: Message, device: Int) {
        created.append(message.id)
        records[message.id] = Record(number: created.count, device: device, message: message)
    }
}
