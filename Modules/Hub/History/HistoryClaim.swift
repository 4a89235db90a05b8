internal import CausewayModels
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

    /// True when the claim names the history and the opening with these ids, or none.
    ///
    /// A delivery that was sent to an earlier opening may arrive, late or repeated by the network, at data that were
    /// put back meanwhile. It is not applied: it would pass the marks of messages that were lost, or store one that its
    /// sender knows as failed. A client that names an earlier opening learns the present one from its next probe.
    func mayDeliver(in history: [UInt8], _ opening: [UInt8]) -> Bool {
        switch self {
        case .none: true
        case .foreign: false
        case .named(let named):
            named.history == Hexadecimal.text(of: history) && named.opening == Hexadecimal.text(of: opening)
        }
    }
}
