package import CausewayModels

/// Decides which connections a server keeps when there are too many; pure, without sockets.
///
/// Every address has a share. Past it, or when the server as a whole is nearly full, the connection that has been
/// without a request longest is closed: one of the new connection's address, or of the address that holds most. A
/// connection with a request in progress is never closed.
package struct ConnectionShares<ID: Hashable & Sendable>: Sendable {
    package enum Admission: Equatable, Sendable {
        /// The new connection is kept.
        case admitted
        /// The new connection is kept, and this other one must be closed.
        case admittedInsteadOf(ID)
        /// The address has used up its share with requests in progress.
        case refused
    }

    private struct Entry: Sendable {
        let peer: String
        /// When the connection became idle; `nil` while a request is in progress.
        var idleSince: MonotonicTime?
    }

    private let connectionsMax: Int
    private let perPeerMax: Int
    private var entries: [ID: Entry] = [:]
    private var counts: [String: Int] = [:]

    /// - Parameters:
    ///   - connectionsMax: the number of connections past which one is closed.
    ///   - perPeerMax: connections of one address.
    package init(connectionsMax: Int, perPeerMax: Int) {
        self.connectionsMax = connectionsMax
        self.perPeerMax = perPeerMax
    }

    package var count: Int { entries.count }

    package func count(of peer: String) -> Int { counts[peer] ?? 0 }

    /// - Complexity: O(1), and O(connections) when a connection must be closed.
    package mutating func admit(_ id: ID, from peer: String, at now: MonotonicTime) -> Admission {
        var leaving: ID?
        if count(of: peer) >= perPeerMax {
            guard let idle = longestIdle(of: peer) else { return .refused }
            leaving = idle
        } else if entries.count >= connectionsMax, let largest = counts.max(by: { $0.value < $1.value }) {
            leaving = longestIdle(of: largest.key)
        }
        if let leaving { remove(leaving) }
        entries[id] = Entry(peer: peer, idleSince: now)
        counts[peer, default: 0] += 1
        return leaving.map(Admission.admittedInsteadOf) ?? .admitted
    }

    package mutating func requestBegan(on id: ID) { entries[id]?.idleSince = nil }

    package mutating func becameIdle(_ id: ID, at now: MonotonicTime) { entries[id]?.idleSince = now }

    package mutating func remove(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let rest = count(of: entry.peer) - 1
        counts[entry.peer] = rest > 0 ? rest : nil
    }

    private func longestIdle(of peer: String) -> ID? {
        var longest: (id: ID, since: MonotonicTime)?
        for (id, entry) in entries where entry.peer == peer {
            guard let since = entry.idleSince, longest.map({ since < $0.since }) ?? true else { continue }
            longest = (id, since)
        }
        return longest?.id
    }
}
