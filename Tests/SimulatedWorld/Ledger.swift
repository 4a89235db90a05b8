import CausewayModels
import CausewaySimulatedHub

/// What an all-knowing witness writes down: what was created, what was asked for, what was told to whom.
struct Ledger: Hashable {
    struct Record: Hashable {
        var client: Int
        var channel: ChannelID
        var sender: UserID
        var role = MessageRole.message
        var trait = Trait.plain
        /// Every place in the lane that the store gave it; more than one after a resend.
        var sequences: [Int64] = []
        var ordinal: Int64
        var isDeleted = false
        /// The network brought a request with it twice.
        var isRepeated = false
        /// Deliveries since it entered the queue that failed in a way that counts, or that a crash cut off.
        var failedAttempts = 0
        /// Failures that its client was told of and that cost it an attempt, since it got its place.
        var failuresHeard = 0
        /// The pause after the last of them.
        var notBefore = MonotonicTime.zero
        /// When the machine that runs now was told of it; `nil` when it found it in the store.
        var queued: Queued?
        /// Where the hub refused it, or the whole request that it was alone in.
        var refusedPlaces: Set<Int64> = []
        /// Its turn, by the number that it had: the number with which it came to stand at the tail of its lane, when it
        /// was created, when a person sent it again, when what it waited for was there. What the machine numbers anew
        /// keeps its turn.
        var turns: [Int64: Int64] = [:]
        /// It comes to stand at the tail with the next number that it gets.
        var isToTheTail = false
        /// How often it paid for a message that kills the process.
        var paidForOthers = 0
        /// A second process or copy of the store has it too: its verdict is not one client's.
        var isOutOfHand = false
    }

    struct Queued: Hashable {
        /// The run of the client that was told.
        var process: Int
        var at: MonotonicTime
    }

    struct Wish: Hashable {
        var content: MessageContent
        var reactions: Set<String> = []
        /// Some of it was refused or given up: what the hub shows is not what was wanted.
        var isSpoiled = false
    }

    struct OutboxKey: Hashable {
        var account: UserID
        var outbox: OutboxID
    }

    /// What is special about a message.
    enum Trait: Hashable {
        case plain
        /// The hub refuses it.
        case refused
        /// The hub refuses it until this moment: a channel that is made later.
        case refusedUntil(MonotonicTime)
        /// A request with it in it is refused as a whole.
        case poisonous
        /// It cannot be put into a request.
        case unsendable
        /// Putting it into a request kills the process.
        case lethal
        /// Another account has used its id.
        case taken
    }

    var records: [MessageID: Record] = [:]
    /// In the order of creation, over all clients.
    var created: [MessageID] = []
    /// The place of what the hub stored last, in each lane.
    var lastStored: [ModelHub.LaneKey: Int64] = [:]
    /// The highest epoch of what the hub dealt with, of each outbox.
    var highestEpochs: [OutboxKey: Int64] = [:]
    /// The highest mark that the hub named, of each lane.
    var highestMarks: [OutboxKey: [LaneID: Int64]] = [:]
    /// The newest process that the hub heard, of each outbox.
    var newestBirths: [OutboxKey: Int] = [:]
    /// What somebody last wanted a message to say, and which reactions to have.
    var wishes: [MessageID: Wish] = [:]
    /// Messages that somebody made of others, under another name.
    var copies: [MessageID: MessageID] = [:]

    /// The store has given the message a number.
    mutating func noteSequence(_ sequence: Int64, of message: MessageID) {
        guard let record = records[message], record.sequences.last != sequence else { return }
        records[message]?.sequences.append(sequence)
        guard sequence > 0, record.turns[sequence] == nil else { return }
        let turn = record.isToTheTail ? 0 : record.sequences.last.flatMap { record.turns[$0] } ?? 0
        records[message]?.turns[sequence] = turn > 0 ? turn : sequence
        records[message]?.isToTheTail = false
    }

    /// A person has sent it again, and the store has given it this number; 0 when it waits for another message.
    mutating func noteTail(_ sequence: Int64, of message: MessageID) {
        if sequence > 0 {
            records[message]?.turns[sequence] = sequence
        } else {
            records[message]?.isToTheTail = true
        }
    }

    /// The message as it was created.
    func original(of message: MessageID) -> MessageID { copies[message] ?? message }
}
