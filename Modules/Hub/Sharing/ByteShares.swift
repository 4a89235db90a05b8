internal import Synchronization

/// Bytes that are held in memory for clients: bounded for all, for each account and for each address.
final class ByteShares: Sendable {
    /// Whom bytes are counted for.
    struct Owner: Sendable, Hashable {
        let account: Int64
        let peer: String
    }

    private struct State {
        var total = 0
        var ofAccounts: [Int64: Int] = [:]
        var ofPeers: [String: Int] = [:]
    }

    private let totalMax: Int
    private let perAccountMax: Int
    private let perPeerMax: Int
    private let state = Mutex(State())

    init(totalMax: Int, perAccountMax: Int, perPeerMax: Int) {
        self.totalMax = totalMax
        self.perAccountMax = perAccountMax
        self.perPeerMax = perPeerMax
    }

    /// Bytes that are counted at the moment.
    var total: Int { state.withLock { $0.total } }

    /// - Returns: false when the bytes have no room; nothing was counted then.
    fileprivate func take(_ bytes: Int, for owner: Owner) -> Bool {
        state.withLock { state in
            let ofAccount = (state.ofAccounts[owner.account] ?? 0) + bytes
            let ofPeer = (state.ofPeers[owner.peer] ?? 0) + bytes
            guard state.total + bytes <= totalMax, ofAccount <= perAccountMax, ofPeer <= perPeerMax else {
                return false
            }
            state.total += bytes
            state.ofAccounts[owner.account] = ofAccount
            state.ofPeers[owner.peer] = ofPeer
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int, of owner: Owner) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.total -= bytes
            let ofAccount = (state.ofAccounts[owner.account] ?? 0) - bytes
            state.ofAccounts[owner.account] = ofAccount > 0 ? ofAccount : nil
            let ofPeer = (state.ofPeers[owner.peer] ?? 0) - bytes
            state.ofPeers[owner.peer] = ofPeer > 0 ? ofPeer : nil
        }
    }
}

/// Bytes that count for as long as this lives.
final class ByteLease: Sendable {
    private let shares: ByteShares
    private let owner: ByteShares.Owner
    private let held = Mutex(0)

    init(_ shares: ByteShares, for owner: ByteShares.Owner) {
        self.shares = shares
        self.owner = owner
    }

    deinit { shares.giveBack(held.withLock { $0 }, of: owner) }

    /// - Throws: 503 `busy` when there is no room: nothing queues here.
    func add(_ bytes: Int) throws {
        guard shares.take(bytes, for: owner) else { throw HubRefusal.busy }
        held.withLock { $0 += bytes }
    }

    /// Gives back what is held beyond `bytes`.
    func shrink(to bytes: Int) {
        let rest = held.withLock { held in
            defer { held = min(held, bytes) }
            return held - min(held, bytes)
        }
        shares.giveBack(rest, of: owner)
    }
}
