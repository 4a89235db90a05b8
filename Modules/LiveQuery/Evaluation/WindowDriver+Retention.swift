import CausewayModels

/// Records that were dropped from the store although the server has them.
///
/// The range that the server has returned ends above them in the pass that applies their removal, so that no list is
/// `fresh` where they are missing. A list that needs more requests them again, like anything that was never loaded.
extension WindowDriver {
    func prune(_ positions: [ChannelID: Int64]) -> Bool {
        guard let key = remote?.key(above: positions) else { return false }
        // The response under way may claim what was dropped after it was stored.
        if server.underWay != nil { server.prunedBelow = max(server.prunedBelow ?? key, key) }
        limitLoadedRange(to: key)
        return true
    }

    /// The record of an object was dropped.
    func requestPruned() {
        guard remote != nil, window.rows.isEmpty else { return }
        beginAnew()
    }

    /// Discards what was loaded before a key.
    func limitLoadedRange(to key: Query.Key) {
        let isAscending = window.query.direction == .ascending
        // Otherwise the response under way extends it first.
        if server.underWay == nil, let pending = server.pending {
            server.pending = pending.part(from: key, isAscending)
            if server.pending == nil {
                server.abandonRefresh()
                server.isRefreshDue = true
            }
        }
        guard let range = server.loadedRange else { return }
        guard let part = range.part(from: key, isAscending) else { return beginAnew() }
        guard part != range else { return }
        server.loadedRange = part
        window.confine(to: part)
    }

    /// Discards everything that was loaded, and asks the server again.
    private func beginAnew() {
        let underWay = server.underWay
        server.forget()
        server.underWay = underWay
        server.isResponseVoid = underWay != nil
        server.isRefreshDue = true
        window.confine(to: nil)
    }
}

extension LoadedRange where Key: Comparable {
    /// The part of the range from a key on; `nil` if there is none.
    fileprivate func part(from key: Key, _ isAscending: Bool) -> LoadedRange? {
        if let newest = isAscending ? end : start, newest < key { return nil }
        var part = self
        if isAscending {
            part.start = max(start ?? key, key)
        } else {
            part.end = max(end ?? key, key)
        }
        return part
    }
}
