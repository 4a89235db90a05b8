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

        mutating func count(_ bytes: Int, for owner: Owner) {
            total += bytes
            let ofAccount = (ofAccounts[owner.account] ?? 0) + bytes
            ofAccounts[owner.account] = ofAccount > 0 ? ofAccount : nil
            let ofPeer = (ofPeers[owner.peer] ?? 0) + bytes
            ofPeers[owner.peer] = ofPeer > 0 ? ofPeer : nil
        }
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
            state.count(bytes, for: owner)
            return true
        }
    }

    /// Counts more of them, or fewer when `bytes` is negative.
    fileprivate func count(_ bytes: Int, for owner: Owner) { state.withLock { $0.count(bytes, for: owner) } }
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

    deinit { shares.count(-held.withLock { $0 }, for: owner) }

    /// - Throws: 503 `busy` when there is no room: nothing queues here.
    func add(_ bytes: Int) throws {
        guard shares.take(bytes, for: owner) else { throw HubRefusal.busy }
        held.withLock { $0 += bytes }
    }

    /// Counts `bytes` from now on: what was reserved turns out to be so much. Room or not, as they are there already.
    func correct(to bytes: Int) {
        let change = held.withLock { held in
            defer { held = bytes }
            return bytes - held
        }
        shares.count(change, for: owner)
    }
}
