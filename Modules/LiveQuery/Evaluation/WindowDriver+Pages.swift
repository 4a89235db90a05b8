/// Requests for pages, and the callers that wait for them.
extension WindowDriver {
    /// A caller that waits for the end of a request.
    struct PageTurn {
        let result: PageResult
        /// The side at which a page was requested; `nil` for a refresh.
        let side: WindowSide?
        /// The last error before the request.
        let trouble: Int
    }

    func turn(_ page: LivePageJob, _ result: PageResult?) {
        switch page {
        case .next: grow(.end)
        case .previous: grow(.start)
        case .reset:
            limitTrouble = nil
            window.reopen()
            if remote != nil { server.askAgain() }
        case .refresh: if remote != nil { server.askAgain() }
        case .retry: if remoteTrouble != nil { server.askAgain() }
        }
        let side: WindowSide? =
            switch page {
            case .next: .end
            case .previous: .start
            case .reset, .refresh, .retry: nil
            }
        if let result { turns.append(PageTurn(result: result, side: side, trouble: troubles)) }
        if let limitTrouble, let side, isFull(side) { fail(side, limitTrouble.error) }
    }

    /// Requests another page at one side, unless one is requested there already.
    private func grow(_ side: WindowSide) {
        if demand(side) > 0 { return }
        if isFull(side) {
            limitTrouble = trouble(LivePageError.windowFull(recordsMax: window.bounds.recordsMax))
            return
        }
        limitTrouble = nil
        turnEdges[side] = (side == .end ? window.rows.last : window.rows.first)?.key
        window.grow(side)
    }

    private func isFull(_ side: WindowSide) -> Bool {
        !window.isComplete(side) && window.target + window.pageSize > window.bounds.recordsMax
    }

    private func demand(_ side: WindowSide) -> Int { side == .end ? window.demand.end : window.demand.start }

    private func fail(_ side: WindowSide, _ error: any Error) {
        for turn in turns where turn.side == side { turn.result.complete(.failure(error)) }
        turns.removeAll { $0.side == side }
    }

    func endedTurns() -> [@Sendable () -> Void] {
        if turns.isEmpty { return [] }
        var ended: [@Sendable () -> Void] = []
        turns.removeAll { turn in
            guard let result = result(of: turn) else { return false }
            ended.append { turn.result.complete(result) }
            return true
        }
        return ended
    }

    /// `nil` while the request is under way.
    private func result(of turn: PageTurn) -> Result<Int, any Error>? {
        let trouble = readTrouble ?? remoteTrouble
        if let readTrouble, readTrouble.number > turn.trouble { return .failure(readTrouble.error) }
        if window.isStale || isAskingServer(for: turn.side) { return nil }
        if let trouble, trouble.number > turn.trouble { return .failure(trouble.error) }
        guard let side = turn.side else { return .success(window.rows.count) }
        return demand(side) > 0 ? nil : .success(arrivedCount(side))
    }

    /// True if the server's response to a request of this kind is pending.
    private func isAskingServer(for side: WindowSide?) -> Bool {
        guard let side else { return isAskingServer }
        return server.underWay == .more(side) || window.sideForServer == side
    }

    /// The number of rows beyond the edge at which the last page was requested.
    private func arrivedCount(_ side: WindowSide) -> Int {
        guard let edge = turnEdges[side] else { return max(0, window.rows.count - window.pageSize) }
        let rank = window.rows.rank(of: edge)
        return side == .start ? rank : window.rows.count - rank - (window.rows.row(at: edge) == nil ? 0 : 1)
    }

    /// Ends every wait.
    func failTurns(_ error: any Error) {
        let error = mapError(error)
        for turn in turns { turn.result.complete(.failure(error)) }
        turns = []
    }
}
