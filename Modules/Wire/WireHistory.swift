package import CausewayModels

/// The history of a hub's data, as carried by ``WireProtocol/historyHeader``: in every response to an account, and
/// repeated by the client in its next requests.
///
/// `hub.history.floor.opening.commit.seal`: ids and seal in hexadecimal digits, numbers decimal. Only the hub can
/// create a seal, so no other party can claim that it has lost data.
package struct WireHistory: Sendable, Hashable {
    /// 32 digits.
    package var hub: String
    /// 32 digits.
    package var history: String
    /// All positions of the history are above this one.
    package var floor: Int64
    /// The hub's opening of its database; 32 digits.
    package var opening: String
    /// The last commit that was on the disk when the response was sent.
    package var commit: Int64
    /// 64 digits.
    package var seal: String

    package init(hub: String, history: String, floor: Int64, opening: String, commit: Int64, seal: String) {
        self.hub = hub
        self.history = history
        self.floor = floor
        self.opening = opening
        self.commit = commit
        self.seal = seal
    }

    /// `nil` if the text does not have this form.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        // Of bytes: every response contains such a text, and characters cost much more to compare.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 6, let hub = Self.hexadecimal(parts[0], 32), let history = Self.hexadecimal(parts[1], 32),
            let floor = Self.number(parts[2], upTo: Limits.positionMax), let opening = Self.hexadecimal(parts[3], 32),
            let commit = Self.number(parts[4], upTo: Limits.sequenceMax), let seal = Self.hexadecimal(parts[5], 64)
        else { return nil }
        self.init(hub: hub, history: history, floor: floor, opening: opening, commit: commit, seal: seal)
    }

    /// The text that the seal covers.
    package var unsealed: String { "\(hub).\(history).\(floor).\(opening).\(commit)" }

    package var text: String { "\(unsealed).\(seal)" }

    /// The history as a client stores it.
    package var serverHistory: ServerHistory {
        ServerHistory(server: hub, id: history, opening: opening, commit: commit, claim: text)
    }

    private static let bytesMax = 256

    private static func hexadecimal(_ text: Substring.UTF8View, _ count: Int) -> String? {
        guard text.count == count,
            text.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        return String(text)
    }

    private static func number(_ text: Substring.UTF8View, upTo most: Int64) -> Int64? {
        let text = Substring(text)
        guard let number = Int64(text), (0...most).contains(number), String(number) == text else { return nil }
        return number
    }
}
