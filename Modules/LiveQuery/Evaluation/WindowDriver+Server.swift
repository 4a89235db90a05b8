import CausewayModels

/// Requests to the server.
extension WindowDriver {
    private typealias ServerRequest = ServerProgress<Query.Key>.ServerRequest

    /// True if a response of the server is pending.
    var isAskingServer: Bool { server.underWay != nil || wantsLoad }

    var wantsLoad: Bool { nextRequest != nil }

    private var nextRequest: ServerRequest? {
        guard let remote else { return nil }
        return server.next(
            lacking: window.sideForServer, awaitsGap: remoteTrouble != nil || remote.following == .streaming)
    }

    func beginLoad() -> LiveLoad? {
        guard let remote, let request = nextRequest, let ask = call(remote, request) else { return nil }
        server.underWay = request
        server.prunedBelow = nil
        if request == .first || request == .changes {
            server.isRefreshDue = false
            if request == .first { server.needsPages = false }
            server.newestWhenAsked = window.newestKey(where: remote.isPlaced)
        }
        return LiveLoad { hold in
            let result: Result<LoadedRange<Query.Key>?, any Error>
            do {
                result = .success(try await ask(hold))
            } catch {
                result = .failure(error)
            }
            return LiveLoadEnd { window, now in (window as? WindowDriver<Query>)?.loadEnded(request, result, now) }
        }
    }

    private func call(
        _ remote: any RemoteSource<Query.Key>, _ request: ServerRequest
    ) -> (@Sendable (FrameHold) async throws -> LoadedRange<Query.Key>?)? {
        if request == .changes {
            guard let loadedRange = server.loadedRange else { return nil }
            return { try await remote.loadChanges(since: loadedRange, hold: $0) }
        }
        guard let page = page(for: request) else { return nil }
        return { try await remote.load(page, hold: $0) }
    }

    private func page(for request: ServerRequest) -> RemoteSourcePage<Query.Key>? {
        switch request {
        case .changes: nil
        case .first: .first
        case .rest(let side): page(beyond: server.pending, side, count: server.restPageSize)
        case .more(let side): page(beyond: server.loadedRange, side, count: window.pageSize)
        }
    }

    private func page(
        beyond loadedRange: LoadedRange<Query.Key>?, _ side: WindowSide, count: Int
    ) -> RemoteSourcePage<Query.Key>? {
        switch side {
        case .start: loadedRange?.start.map { .previous($0, count: count) }
        case .end: loadedRange?.end.map { .next($0, count: count) }
        }
    }

    // MARK: Responses

    private func loadEnded(
        _ request: ServerRequest, _ result: Result<LoadedRange<Query.Key>?, any Error>, _ now: MonotonicTime
    ) {
        server.underWay = nil
        let isRetryDue = server.isRetryDue
        server.isRetryDue = false
        if server.isRefreshDueAgain {
            server.isRefreshDueAgain = false
            server.isRefreshDue = true
        }
        if server.isResponseVoid {
            server.isResponseVoid = false
            server.isRefreshDue = true
            return
        }
        switch result {
        case .success(let range?):
            responded(request, range, now)
            if let key = server.prunedBelow { limitLoadedRange(to: key) }
        case .success(nil):
            // Too much changed, or the changes are unknown to the server: the pages are requested again.
            server.loadedRange?.cursor = nil
            server.isRefreshDue = true
        case .failure(let error):
            // The state that these pages were to show is still unknown.
            switch request {
            case .first, .rest: server.needsPages = true
            case .changes, .more: break
            }
            // Another trigger since the request was made causes a new request anyway.
            if request == .first || request == .changes, server.isRefreshDue { return }
            loadFailed(request, error)
            if isRetryDue { server.askAgain() }
        }
    }

    private func responded(_ request: ServerRequest, _ range: LoadedRange<Query.Key>, _ now: MonotonicTime) {
        switch request {
        case .changes:
            server.loadedRange = covering(range)
        case .first:
            beginRest(range)
            goOn()
        case .rest(let side):
            guard let pending = server.pending?.extended(by: range, at: side, isNewest: side == newestSide) else {
                return loadFailed(request, RemoteSourceError.noProgress)
            }
            server.pending = pending
            goOn()
        case .more(let side):
            guard let loadedRange = server.loadedRange?.extended(by: range, at: side, isNewest: side == newestSide)
            else {
                return loadFailed(request, RemoteSourceError.noProgress)
            }
            server.loadedRange = loadedRange
            window.confine(to: loadedRange)
        }
        remoteTrouble = nil
        server.isOutdated = false
        server.hasResponded = true
        server.freshSince = now
    }

    private func beginRest(_ range: LoadedRange<Query.Key>) {
        server.pending = covering(range)
        server.goal = LoadedRange<Query.Key>(start: window.rows.first?.key, end: window.rows.last?.key)
        server.restPageSize = LiveLimits.catchUpPageSize
        server.restPagesLeft = LiveLimits.catchUpPagesMax
        if server.loadedRange != nil {
            // All displayed records come from the server: however many there are, they are kept.
            server.restPagesLeft += window.rows.count / LiveLimits.catchUpPageSize
        } else if case .at = window.query.anchor {
            // A jump to another position: records that happen to be stored elsewhere are no reason to request
            // everything in between.
            (server.restPagesLeft, server.restPageSize) = (1, window.pageSize)
        }
    }

    /// Continues with the range displayed beyond the first page, or ends the refresh.
    private func goOn() {
        guard let pending = server.pending else { return }
        if server.restPagesLeft > 0, let side = window.side(of: server.goal, outside: pending) {
            server.restPagesLeft -= 1
            server.restSide = side
            return
        }
        server.loadedRange = pending
        server.abandonRefresh()
        server.isComplete = true
        window.confine(to: pending)
    }

    private func loadFailed(_ request: ServerRequest, _ error: any Error) {
        remoteTrouble = trouble(error)
        let isRefreshDue = server.isRefreshDue
        if case .more = request {
        } else if server.loadedRange != nil, window.sideForServer == nil {
            return server.abandonRefresh()
        }
        // Without the server all stored records are displayed, including gaps; the data are not reported as fresh.
        server.forget()
        server.isRefreshDue = isRefreshDue
        window.confine(to: nil)
    }

    // MARK: The newest end

    /// The side at which new records arrive.
    private var newestSide: WindowSide { window.query.direction == .ascending ? .end : .start }

    /// Rows that were displayed when the server was asked are older than its response, even if that is empty.
    private func covering(_ range: LoadedRange<Query.Key>) -> LoadedRange<Query.Key> {
        guard let newest = range.newest, let asked = server.newestWhenAsked, asked > newest else {
            if range.newest != server.assumption?.newest { server.assumption = nil }
            return range
        }
        server.assumption = (newest: asked, listed: newest)
        var loadedRange = range
        loadedRange.newest = asked
        return loadedRange
    }

    /// A row that has left the window says no longer that the response covers its place: when the server has lost its
    /// data, places are assigned again.
    private func checkAssumption() {
        guard let (newest, listed) = server.assumption, window.rows.row(at: newest) == nil else { return }
        server.assumption = nil
        if server.loadedRange?.newest == newest { server.loadedRange?.newest = listed }
        if server.pending?.newest == newest { server.pending?.newest = listed }
    }

    /// Checks whether records that arrived by themselves, such as a delivered message of this account, directly follow
    /// the range that the server has returned. If others may lie between, the list is not fresh until events have
    /// brought them; without events the server is asked.
    func checkNewest() {
        guard let remote, !window.isStale else { return }
        checkAssumption()
        server.hasGap = false
        guard let loadedRange = server.loadedRange, let newest = loadedRange.newest,
            newestSide == .end ? loadedRange.end == nil : loadedRange.start == nil,
            let last = window.newestKey(where: remote.isPlaced), last > newest
        else { return }
        if window.count(after: newest, through: last) == remote.placedCount(after: newest, through: last)
            || remote.isBrought(through: last, after: loadedRange)
        {
            server.loadedRange?.newest = last
        } else {
            server.hasGap = true
        }
    }

    /// Asks the server again about a record that gets a position among those that the server has returned already: the
    /// server did not list it, so it may have been deleted there before its sender was told of the position, and before
    /// the changes that the server would report: pages are requested.
    func checkPlace(_ change: LiveRecordChange<Query.Record>) {
        guard let remote, let newest = server.loadedRange?.newest, let before = change.before, let after = change.after
        else { return }
        let key = window.query.key(of: after)
        if key <= newest, remote.isPlaced(key), !remote.isPlaced(window.query.key(of: before)) {
            server.askAgain(anew: true)
        }
    }

    // MARK: Triggers

    func refresh(_ scope: LiveRefresh) {
        guard let remote else { return }
        var isAnew = false
        switch scope {
        case .newSession:
            server.forget()
            window.confine(to: nil)
            remoteTrouble = nil
        case .reachable:
            if remote.following != .none, server.isComplete, remoteTrouble == nil { return }
        case .everything: break
        case .channels(let channels, let anew):
            guard remote.concerns(channels) else { return }
            isAnew = anew
        }
        server.askAgain(anew: isAnew)
    }

    func markOutdated() {
        guard let remote, remote.following == .interrupted, server.isComplete else { return }
        server.isOutdated = true
    }

    func caughtUp() {
        guard let remote, remote.following != .none else { return }
        server.isOutdated = false
        checkNewest()
        // Not even events have brought everything before it: it may have come another way.
        if server.hasGap { server.askAgain() }
    }

    func retryFailed() -> Bool {
        guard remote != nil else { return false }
        // The failure that is meant may not have been reported yet.
        if server.underWay != nil { server.isRetryDue = true }
        guard remoteTrouble != nil else { return false }
        server.askAgain()
        return true
    }

    func adoptFreshness(from other: any LiveWindow, at now: MonotonicTime) -> Bool {
        guard let other = other as? WindowDriver<Query>, other.window.query == window.query, remote != nil,
            // Its response may never come: it may be closed before.
            other.remote != nil, other.server.isSettled, other.remoteTrouble == nil,
            let loadedRange = other.server.loadedRange,
            other.remote?.following == .streaming || now - other.server.freshSince <= LiveLimits.freshnessAge
        else { return false }
        server = ServerProgress(isAsked: false)
        (server.loadedRange, server.assumption) = (loadedRange, other.server.assumption)
        server.freshSince = other.server.freshSince
        window.confine(to: loadedRange)
        return true
    }
}

extension LoadedRange where Key: Comparable {
    /// The range extended by a response on one side; `nil` if the response makes no progress.
    fileprivate func extended(by range: LoadedRange, at side: WindowSide, isNewest: Bool) -> LoadedRange? {
        var loadedRange = self
        switch side {
        case .start:
            if let start = range.start, start == self.start { return nil }
            loadedRange.start = range.start
        case .end:
            if let end = range.end, end == self.end { return nil }
            loadedRange.end = range.end
        }
        if isNewest { (loadedRange.newest, loadedRange.generation) = (range.newest, range.generation) }
        return loadedRange
    }
}
