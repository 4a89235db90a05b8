import CausewayModels

/// The evidence at the end of a run: the programs' reports, and the content of hub and store.
struct Evidence: Sendable {
    struct Placed: Sendable, Hashable {
        var id: MessageID
        var line: TortureLine
    }

    /// The messages passed to a program, accepted or not.
    var offered: Set<TortureLine> = []
    /// The messages reported as accepted: the id was printed, or was in a response of the daemon.
    var accepted: [MessageID: TortureLine] = [:]
    /// The messages that were resent, which are therefore behind later ones.
    var resent: Set<MessageID> = []
    /// The messages that were ever shown as synced.
    var shownSynced: Set<MessageID> = []
    /// The content of the hub and the store when nothing was in flight any more, before the failed messages were
    /// resent.
    var hubBeforeResend: Set<MessageID> = []
    var storeBeforeResend: [MessageID: SyncState] = [:]
    /// The final content; the hub's in its order.
    var hub: [Placed] = []
    var store: [MessageID: SyncState] = [:]
}

/// The text of one message of the run: its sender and its number. Each is offered once.
struct TortureLine: Sendable, Hashable, CustomStringConvertible {
    let sender: Int
    let number: Int

    init(sender: Int, number: Int) {
        self.sender = sender
        self.number = number
    }

    /// - Parameter text: the message; the text after the two numbers is padding.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let sender = Int(words[0]), let number = Int(words[1]) else { return nil }
        self.init(sender: sender, number: number)
    }

    /// The text of the message, with this many characters of padding.
    func text(filledBy count: Int) -> String { "\(sender) \(number) " + String(repeating: "x", count: count) }

    var description: String { "\(sender)/\(number)" }
}
