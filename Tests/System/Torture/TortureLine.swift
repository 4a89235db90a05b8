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
