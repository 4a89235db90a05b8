import CausewayModels
import CausewaySimulatedHub
import CausewayStorage

/// The records of an omniscient witness: everything created, everything requested, everything reported to users.
struct ExpectedState {
    /// A message that a store accepted.
    enum Refusal {
        case message
        /// A request that contained it, and possibly others.
        case request
    }

    struct Record {
        /// The number in the order of creation over all devices, used in histories.
        let number: Int
        let device: Int
        let item: StoredItem
        /// True when its creator was told that it is durable.
        var isAccepted = false
        /// True when a user requested its deletion.
        var isDeletionWanted = false
        /// True when its store has deleted it.
        var isDeleted = false
        var deletedAt: MonotonicTime?
        var resends = 0
        /// True while its fate on the hub cannot be determined: a copy of its store continues and sends it. Ends with
        /// the copy, see ``World/endExcuses()``. Order and at most one copy hold all the same.
        var isSentByCopy = false
        /// When the hub last stored it from a copy, and under which outbox id.
        var storedByCopyAt: MonotonicTime?
        var storedByCopyUnder: OutboxID?
        /// When its store failed it for good.
        var failedForGoodAt: MonotonicTime?
        /// When the hub said first that it does not have it.
        var absentAt: MonotonicTime?
        /// True when its fate can never be repaired: a former history of the hub, or a copy of its store after that one
        /// had failed it for good, brought it to the hub.
        var isBeyondRepair = false
        var isExcused: Bool { isSentByCopy || isBeyondRepair }
        /// True when the network delivered a request with it twice: the hub may refuse one copy and accept the other.
        /// Its reported state then holds only at the end, when the hub has been asked once more.
        var isRepeated = false
        /// The contents sent under its id, by position in the lane.
        var sentContents: [Int64: MessageContent] = [:]
        /// The number of deliveries that contained it.
        var departures = 0
        /// The number of edits that users requested.
        var edits = 0
        /// True when the hub may lack operations on it, or have some that its client has given up: a user deleted one
        /// that had already been sent, or the hub's data were restored.
        var hasLostOperations = false
        /// The devices whose operations on it the hub has applied.
        var operatingDevices: Set<Int> = []
        /// True when a page reported that it is gone from the hub.
        var isGoneByPage = false
        /// The extent of the hub's refusal; `nil` if it has refused neither it nor a request that contained it.
        var refusal: Refusal?
        /// True when a backup brought it back to a hub that no longer had it, unknown to its client.
        var wasBroughtBack = false
        /// The number of its attempts that were used up by crashes of lethal messages.
        var paidForOthers = 0
        /// The number of its transmissions that ended otherwise than by the client's own decision.
        var triesEnded = 0
        /// The number of crashes that it caused, and of those that used up none of its own attempts.
        var kills = 0
        var freeKills = 0
    }

    var records: [MessageID: Record] = [:]
    var created: [MessageID] = []
    /// A lane of a device, under any outbox id.
    struct Lane: Hashable {
        var device: Int
        var account: UserID?
        var lane: LaneID
    }

    /// The sequence of the last message that the hub stored, in each lane.
    var lastStored: [ModelHub.LaneKey: Int64] = [:]
    /// The creation order of the last message that the hub stored and that was never resent, in each lane.
    var lastOrdinal: [ModelHub.LaneKey: Int64] = [:]
    /// The same over all outboxes that a device has had.
    var lastOrdinalOfDevice: [Lane: Int64] = [:]
    /// Messages that had failed for good when the hub accepted a later message of their lane, with the highest ordinal
    /// of such a later message. Another history of the hub may contain them all the same.
    var overtaken: [MessageID: Int64] = [:]
    /// The outbox id under which the hub last refused each message.
    var refusedUnder: [MessageID: OutboxID] = [:]
    /// Refused messages with the highest ordinal of a later message of their lane that the hub accepted after the
    /// refusal, under the same outbox id.
    var passedOver: [MessageID: Int64] = [:]
    /// The operations that hubs have ever applied to each message, and its last content there.
    var applied: [MessageID: Set<MessageID>] = [:]
    var lastContents: [MessageID: MessageContent] = [:]
    /// The outbox ids that clients abandoned because the hub had lied to them about their marks.
    var formerOutboxes: Set<OutboxID> = []
    /// Messages that accounts deleted on the hub.
    var deletedOnHub: Set<MessageID> = []
    /// The number of entries of the hub's history that were checked.
    var seenOfHistory = 0

    /// The uploads of messages, as their stores were told to keep them.
    var uploads: [MessageID: UploadRecord] = [:]
    /// Messages that lost their receipts because their store begins anew, and when: a delivery that was under way may
    /// still leave at that moment.
    var receiptsLost: [MessageID: MonotonicTime] = [:]
    /// The server's names of uploads that a store has ever kept.
    var storedUploads: Set<String> = []
    /// The messages with each file, by its hash.
    var messagesOfFiles: [String: [MessageID]] = [:]

    func number(_ id: MessageID) -> Int { records[id]?.number ?? 0 }

    mutating func take(_ item: StoredItem, device: Int) {
        created.append(item.id)
        records[item.id] = Record(number: created.count, device: device, item: item)
        if let file = item.sentContent.attachment { messagesOfFiles[file.sha256, default: []].append(item.id) }
    }
}
