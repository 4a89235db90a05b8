/// The position in the hub's ephemeral events up to which a reader has seen them: valid within one run of the hub.
enum EphemeralToken: Sendable, Hashable {
    /// Nothing has been seen.
    case start
    case position(Int64, run: UInt64)
    /// Another text: it was issued by another hub, or before this one was started.
    case foreign

    static let startText = "0"

    /// `nil` for a text that no hub issues: one that needs escaping in a request, is empty or too long.
    init?(_ text: some StringProtocol) {
        guard (1...HubLimits.ephemeralTokenBytesMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
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

    /// Letters and digits, `.`, `_` and `-`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
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
