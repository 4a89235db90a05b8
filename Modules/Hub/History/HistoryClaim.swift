internal import CausewayHubRules
internal import CausewayWire

/// The claim of a request about the hub's history.
enum HistoryClaim: Sendable, Equatable {
    /// No claim: an older client, or the first contact.
    case none
    /// A text that no hub of this protocol wrote.
    case foreign
    case named(WireHistory)

    init(_ text: String?) {
        guard let text else {
            self = .none
            return
        }
        self = WireHistory(text).map(HistoryClaim.named) ?? .foreign
    }

    /// True when the claim names the history with this id, or none.
    func mayDeliver(in history: [UInt8]) -> Bool {
        switch self {
        case .none: true
        case .foreign: false
        case .named(let named): named.history == Hexadecimal.text(of: history)
        }
    }
}
