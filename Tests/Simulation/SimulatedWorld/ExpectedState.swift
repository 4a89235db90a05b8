import CausewayModels
import CausewaySimulatedHub

/// The records of an omniscient witness: everything created, everything requested, everything reported to users.
struct ExpectedState: Hashable {
    struct Record: Hashable {
        var client: Int
        var channel: ChannelID
        var sender: UserID
        /// The message that it replies to.
        var parent: MessageID?
        /// The change that an operation makes; `nil` for a message.
        var change: OperationPayload?
        var trait = Trait.plain
        /// Every sequence in the lane that the store assigned to it; more than one after a resend.
        var sequences: [Int64] = []
        var ordinal: Int64
        var isDeleted = false
        /// True when the network delivered a request with it twice.
        var isRepeated = false
        /// Deliveries since it was enqueued that failed in a way that counts, or that a crash interrupted.
        var failedAttempts = 0
        /// Failures since it got its position that were reported to its client and counted as an attempt.
        var failuresHeard = 0
        /// The end of the pause after the last of them.
        var notBefore = MonotonicTime.zero
        /// When the current machine was notified of it; `nil` when it was found in the store.
        var queued: Queued?
        /// The sequences at which the hub refused it, or a request that contained only it.
        var refusedPlaces: Set<Int64> = []
        /// Its turn, by its current number: the number with which it reached the tail of its lane, when it was created,
        /// when a user resent it, or when the message it waited for was stored. Messages that the machine renumbers
        /// keep their turn.
        var turns: [Int64: Int64] = [:]
        /// True when its next number puts it at the tail.
        var isToTheTail = false { didSet { if isToTheTail { isMoved = true } } }
        /// True when it has once left the place that it was created in.
        var isMoved = false
        /// The ordinal of the last message of its lane that the hub stored while this one had failed. It can only
        /// follow that one there: another history of the hub may contain it, and the client believes that one.
        var overtakenBy = Int64.min
        /// The number of attempts it lost to a message that kills the process.
        var paidForOthers = 0
        /// True when a second process or copy of the store has it too: its verdict is not a single client's.
        var isOutOfHand = false
        /// True when the hub lost it after its client had heard that it was there.
        var wasLost = false
        /// True while its client has a receipt for its file.
        var hasReceipt = false
        /// The session of its upload, as its client committed it.
        var uploadSession: String?
        /// Attempts to upload its file since the last progress that failed in a way that counts, or were cut off.
        var uploadFailures = 0
        /// Uploads whose bytes the hub found to be others, and uploads that the machine began again.
        var mismatches = 0
        var repeatedUploads = 0

        var isOperation: Bool { change != nil }
    }

    struct Queued: Hashable {
        /// The run of the client that was notified.
        var process: Int
        var at: MonotonicTime
        /// The time in the store, from which a later run counts.
        var stored: Timestamp
    }

    struct WantedState: Hashable {
        var content: MessageContent
        var reactions: Set<String> = []
        /// True when some of it was refused or given up: the hub does not show the requested state.
        var isSpoiled = false
    }

    struct OutboxKey: Hashable {
        var account: UserID
        var outbox: OutboxID
    }

    /// The hub's treatment of a message.
    enum Trait: Hashable {
        case plain
        /// The hub refuses it.
        case refused
        /// The hub refuses it until this time: its channel is created later.
        case refusedUntil(MonotonicTime)
        /// The hub refuses every request that contains it.
        case poisonous
        /// It cannot be encoded into a request.
        case unsendable
        /// Encoding it into a request kills the process.
        case lethal
        /// Another account has used its id.
        case taken
    }

    var records: [MessageID: Record] = [:]
    /// In the order of creation, over all clients.
    var created: [MessageID] = []
    /// The sequence of the last message that the hub stored, in each lane.
    var lastStored: [ModelHub.LaneKey: Int64] = [:]
    /// The highest epoch that the hub processed, of each outbox.
    var highestEpochs: [OutboxKey: Int64] = [:]
    /// The highest mark that the hub reported, of each lane.
    var highestMarks: [OutboxKey: [LaneID: Int64]] = [:]
    /// The newest process that the hub has heard from, of each outbox.
    var newestBirths: [OutboxKey: Int] = [:]
    /// The last requested content and reactions of each message.
    var wanted: [MessageID: WantedState] = [:]
    /// The operations that hubs have ever applied to each message, and its last content there.
    var applied: [MessageID: Set<MessageID>] = [:]
    var lastContents: [MessageID: MessageContent] = [:]
    /// Messages that a planted fault recreated under another id, with the original ids.
    var copies: [MessageID: MessageID] = [:]

    /// Records a number that the store assigned to the message.
    mutating func noteSequence(_ sequence: Int64, of message: MessageID) {
        guard let record = records[message], record.sequences.last != sequence else { return }
        records[message]?.sequences.append(sequence)
        guard sequence > 0, record.turns[sequence] == nil else { return }
        let turn = record.isToTheTail ? 0 : record.sequences.last.flatMap { record.turns[$0] } ?? 0
        records[message]?.turns[sequence] = turn > 0 ? turn : sequence
        records[message]?.isToTheTail = false
    }

    /// Records that a user resent it and the number that the store assigned; 0 when it waits for another message.
    mutating func noteTail(_ sequence: Int64, of message: MessageID) {
        records[message]?.isMoved = true
        if sequence > 0 {
            records[message]?.turns[sequence] = sequence
        } else {
            records[message]?.isToTheTail = true
        }
    }

    /// The id under which the message was created.
    func original(of message: MessageID) -> MessageID { copies[message] ?? message }
}
