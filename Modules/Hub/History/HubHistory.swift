internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayTLS
internal import CausewayWire
internal import Logging
internal import Synchronization

/// The history of the hub's data, as responses name it and requests claim it; see `HistoryRules`.
final class HubHistory: Sendable {
    private let storage: any HubStorage
    private let logger: Logger
    private let sealed = Mutex<Sealed?>(nil)

    private struct Sealed {
        let opening: HubOpening
        let text: String
    }

    init(_ storage: any HubStorage, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// The header field of responses; `nil` until the hub serves. Built once for each commit, when the first response
    /// needs it.
    var text: String? {
        guard let opening = storage.opening else { return nil }
        if let text = sealed.withLock({ $0?.opening == opening ? $0?.text : nil }) { return text }
        // Sealed without the lock. Another commit may have been confirmed meanwhile.
        let text = opening.wire.text
        sealed.withLock { $0 = Sealed(opening: opening, text: text) }
        return text
    }

    /// Returns whether a client with this claim knows the present history; starts another history when the claim proves
    /// that data was lost.
    ///
    /// - Parameter claim: `.none` from a client that names no history.
    func knowsPresent(_ claim: HistoryClaim) async throws(HubStorageError) -> Bool {
        let claimed: WireHistory
        switch claim {
        case .none: return true
        case .foreign: return false
        case .named(let history): claimed = history
        }
        guard let present = storage.opening else { throw .recovering(path: "hub") }
        let isOfPresent = claimed.history == Hexadecimal.text(of: present.history)
        let isOfOpening = claimed.opening == Hexadecimal.text(of: present.id)
        // A claim that changes nothing needs no proof.
        if isOfPresent, isOfOpening, claimed.commit <= present.lastCommit { return true }
        guard present.isOwn(claimed) else { return false }
        let rules = HistoryRules.Claim(
            isOfPresentHistory: isOfPresent, floor: claimed.floor, commit: claimed.commit)
        let last = isOfOpening ? present.lastCommit : try await lastCommit(of: claimed.opening)
        switch HistoryRules.judge(rules, floor: present.floor, lastCommit: last) {
        case .current: return true
        case .changed: return false
        case .lost(let floor):
            try await begin(above: floor, after: present)
            return false
        }
    }

    private func lastCommit(of opening: String) async throws(HubStorageError) -> Int64? {
        guard let id = Hexadecimal.bytes(of: opening) else { return nil }
        return try await storage.lastCommit(ofOpening: id)
    }

    private func begin(above floor: Int64, after present: HubOpening) async throws(HubStorageError) {
        let hasStarted = try await storage.beginHistory(
            SecureRandom.bytes(16), above: floor, after: present.history, at: SystemClock.now())
        guard hasStarted else { return }
        logger.critical(
            "data lost",
            metadata: [
                "reason": "database-older-than-confirmed",
                "history": "\(storage.opening.map { Hexadecimal.text(of: $0.history) } ?? "")",
            ])
    }
}

extension HubOpening {
    var wire: WireHistory {
        var wire = WireHistory(
            hub: Hexadecimal.text(of: hub), history: Hexadecimal.text(of: history), floor: floor,
            opening: Hexadecimal.text(of: id), commit: lastCommit, seal: "")
        wire.seal = seal(wire)
        return wire
    }

    /// True for a claim that this hub sealed, in any history.
    func isOwn(_ claim: WireHistory) -> Bool {
        claim.hub == Hexadecimal.text(of: hub)
            && Digest.constantTimeEqual(Array(claim.seal.utf8), Array(seal(claim).utf8))
    }

    private func seal(_ wire: WireHistory) -> String {
        Hexadecimal.text(of: Digest.hmacSHA256(wire.unsealed.utf8, key: sealKey))
    }
}
