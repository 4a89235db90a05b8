internal import CausewayTLS
internal import CausewayWire
internal import Synchronization

/// The present history of the hub's data, as far as every request needs it.
///
/// Set when the hub begins to serve, and by whatever begins another history, on the writer and before the next write.
/// The lock is held for a read or an assignment only.
final class HubHistory: Sendable {
    struct Present: Sendable, Equatable {
        var hub: [UInt8]
        var key: [UInt8]
        var history: [UInt8]
        var floor: Int64
        var opening: [UInt8]
        /// The number of the last commit that was begun.
        var taken: Int64
        /// The same of the last one that is on the disk.
        var published: Int64

        var wire: WireHistory {
            var wire = WireHistory(
                hub: Self.hexadecimal(hub), history: Self.hexadecimal(history), floor: floor,
                opening: Self.hexadecimal(opening), commit: published, seal: "")
            wire.seal = seal(wire)
            return wire
        }

        /// True for what this hub wrote, in whichever history.
        func isOwn(_ claim: WireHistory) -> Bool {
            claim.hub == Self.hexadecimal(hub)
                && Digest.constantTimeEqual(Array(claim.seal.utf8), Array(seal(claim).utf8))
        }

        /// HMAC-SHA-256 (RFC 2104) of what is said.
        private func seal(_ wire: WireHistory) -> String {
            let block = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
            let inner = Digest.sha256(block.map { $0 ^ 0x36 } + Array(wire.unsealed.utf8))
            return Self.hexadecimal(Digest.sha256(block.map { $0 ^ 0x5C } + inner))
        }

        static func hexadecimal(_ bytes: [UInt8]) -> String {
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }

        /// The bytes that hexadecimal digits stand for; pairs that are none are left out.
        static func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits = Array(hexadecimal)
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
                UInt8(String(digits[index...index + 1]), radix: 16)
            }
        }
    }

    private struct State {
        var present: Present?
        /// What is said of it, made once for each commit.
        var text: String?
    }

    private let state = Mutex(State())

    /// `nil` until the hub serves.
    var present: Present? {
        get { state.withLock { $0.present } }
        set { state.withLock { $0 = State(present: newValue) } }
    }

    /// What answers say of it; `nil` until the hub serves.
    var text: String? {
        state.withLock { state in
            if state.text == nil { state.text = state.present?.wire.text }
            return state.text
        }
    }

    /// The number of a commit that is about to change something; 0 while the hub does not serve.
    func takeCommit() -> Int64 {
        state.withLock { state in
            state.present?.taken += 1
            return state.present?.taken ?? 0
        }
    }

    /// Everything up to this commit is on the disk.
    func publish(_ commit: Int64) {
        state.withLock { state in
            guard let published = state.present?.published, published < commit else { return }
            state.present?.published = commit
            state.text = nil
        }
    }
}
