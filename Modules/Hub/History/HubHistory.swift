internal import CausewayTLS
internal import CausewayWire
internal import Synchronization

/// The present history of the hub's data, as far as every request needs it.
///
/// Set when the hub starts to serve, and whenever another history begins, on the writer and before the next write. The
/// lock is held only for a read or an assignment.
final class HubHistory: Sendable {
    struct Present: Sendable, Equatable {
        var hub: [UInt8]
        var key: [UInt8]
        var history: [UInt8]
        var floor: Int64
        var opening: [UInt8]
        /// The number of the last commit that was started.
        var taken: Int64
        /// The number of the last commit that is on the disk.
        var published: Int64

        var wire: WireHistory {
            var wire = WireHistory(
                hub: Hexadecimal.text(of: hub), history: Hexadecimal.text(of: history), floor: floor,
                opening: Hexadecimal.text(of: opening), commit: published, seal: "")
            wire.seal = seal(wire)
            return wire
        }

        /// True for a claim that this hub sealed, in any history.
        func isOwn(_ claim: WireHistory) -> Bool {
            claim.hub == Hexadecimal.text(of: hub)
                && Digest.constantTimeEqual(Array(claim.seal.utf8), Array(seal(claim).utf8))
        }

        private func seal(_ wire: WireHistory) -> String {
            Hexadecimal.text(of: Digest.hmacSHA256(wire.unsealed.utf8, key: key))
        }
    }

    private struct State {
        var present: Present?
        /// The header field of responses; built once for each commit, when the first response needs it.
        var text: String?
    }

    private let state = Mutex(State())

    /// `nil` until the hub serves.
    var present: Present? {
        get { state.withLock { $0.present } }
        set { state.withLock { $0 = State(present: newValue) } }
    }

    /// The header field of responses; `nil` until the hub serves.
    var text: String? {
        let (present, known) = state.withLock { ($0.present, $0.text) }
        if let known { return known }
        guard let present else { return nil }
        // Sealed without the lock. Another commit may have been published meanwhile.
        let text = present.wire.text
        state.withLock { state in
            if state.present == present { state.text = text }
        }
        return text
    }

    /// Returns the number of a commit that is about to make a change; 0 while the hub does not serve.
    func takeCommit() -> Int64 {
        state.withLock { state in
            state.present?.taken += 1
            return state.present?.taken ?? 0
        }
    }

    /// Records that everything up to this commit is on the disk.
    func publish(_ commit: Int64) {
        state.withLock { state in
            guard let published = state.present?.published, published < commit else { return }
            state.present?.published = commit
            state.text = nil
        }
    }
}
