internal import Synchronization

/// Bytes held in memory for clients: bounded in total, for each account and for each address.
package final class ByteShares: Sendable {
    /// The account and the address that bytes are counted for.
    package struct Owner: Sendable, Hashable {
        let account: Int64
        let peer: String

        package init(account: Int64, peer: String) {
            self.account = account
            self.peer = peer
        }
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

    package init(totalMax: Int, perAccountMax: Int, perPeerMax: Int) {
        self.totalMax = totalMax
        self.perAccountMax = perAccountMax
        self.perPeerMax = perPeerMax
    }

    /// The bytes that are counted now.
    package var total: Int { state.withLock { $0.total } }

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

    /// Counts more bytes, or fewer when `bytes` is negative.
    fileprivate func count(_ bytes: Int, for owner: Owner) { state.withLock { $0.count(bytes, for: owner) } }
}

/// Bytes that count until this object is released.
package final class ByteLease: Sendable {
    private let shares: ByteShares
    private let owner: ByteShares.Owner
    private let held = Mutex(0)

    package init(_ shares: ByteShares, for owner: ByteShares.Owner) {
        self.shares = shares
        self.owner = owner
    }

    deinit { shares.count(-held.withLock { $0 }, for: owner) }

    /// - Throws: 503 `busy` if there is no room: requests do not queue here.
    func add(_ bytes: Int) throws {
        guard shares.take(bytes, for: owner) else { throw HubHTTPError.busy }
        held.withLock { $0 += bytes }
    }

    /// - Returns: false, and counts nothing, if there is no room for more; fewer always have.
    func change(by bytes: Int) -> Bool {
        if bytes > 0 {
            guard shares.take(bytes, for: owner) else { return false }
        } else {
            shares.count(bytes, for: owner)
        }
        held.withLock { $0 += bytes }
        return true
    }

    /// Replaces the reserved bytes by the actual ones, even when there is no room, as they exist already.
    func correct(to bytes: Int) {
        let change = held.withLock { held in
            defer { held = bytes }
            return bytes - held
        }
        shares.count(change, for: owner)
    }
}
