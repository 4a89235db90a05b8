/// The position in the hub's ephemeral events up to which a reader has seen them: valid within one run of the hub.
enum EphemeralToken: Sendable, Hashable {
    /// Nothing has been seen.
    case start
    case position(Int64, run: UInt64)
    /// Any other text: it was issued by another hub, or before this one was started.
    case foreign

    static let startText = "0"

    init(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if text == Self.startText {
            self = .start
        } else if parts.count == 2, let run = UInt64(parts[0], radix: 16), let position = Int64(parts[1]),
            position >= 0
        {
            self = .position(position, run: run)
        } else {
            self = .foreign
        }
    }

    /// Text that needs no escaping in a request.
    var text: String {
        switch self {
        case .start, .foreign: Self.startText
        case .position(let position, let run): String(run, radix: 16) + "-\(position)"
        }
    }

    /// The position in this run of the hub; `nil` if it is of another one.
    func position(in run: UInt64) -> Int64? {
        guard case .position(let position, run) = self else { return nil }
        return position
    }
}
