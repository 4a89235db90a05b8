import CausewayModels

/// Requests to the server.
extension WindowDriver {
    private typealias Question = ServerProgress<Query.Key>.Question
    private typealias Reach = LiveReach<Query.Key>

    /// True if a response of the server is pending.
    var isAskingServer: Bool { server.underWay != nil || wantsLoad }

    var wantsLoad: Bool { nextQuestion != nil }

    private var nextQuestion: Question? {
        remote == nil ? nil : server.next(lacking: window.sideForServer, isTroubled: remoteTrouble != nil)
    }

    func beginLoad() -> LiveLoad? {
        guard let remote, let question = nextQuestion, let ask = call(remote, question) else { return nil }
        server.underWay = question
        if question == .first || question == .changes {
            server.isRefreshDue = false
            server.newestWhenAsked = window.newestKey(where: remote.isPlaced)
        }
        return LiveLoad {
            let result: Result<LiveReach<Query.Key>?, any Error>
            do {
                result = .success(try await ask())
            } catch {
                result = .failure(error)
            }
            return LiveLoadEnd { window, now in (window as? WindowDriver<Query>)?.loadEnded(question, result, now) }
        }
    }

    private func call(
        _ remote: any LiveRemote<Query.Key>, _ question: Question
    ) -> (@Sendable () async throws -> Reach?)? {
        if question == .changes {
            guard let reach = server.reach else { return nil }
            return { try await remote.loadChanges(since: reach) }
        }
        guard let page = page(for: question) else { return nil }
        return { try await remote.load(page) }
    }

    private func page(for question: Question) -> LiveRemotePage<Query.Key>? {
        switch question {
        case .changes: nil
        case .first: .first
        case .rest(let side): page(beyond: server.pending, side, count: server.restPageSize)
        case .more(let side): page(beyond: server.reach, side, count: window.pageSize)
        }
    }

    private func page(beyond reach: Reach?, _ side: WindowSide, count: Int) -> LiveRemotePage<Query.Key>? {
        switch side {
        case .start: reach?.start.map { .previous($0, count: count) }
        case .end: reach?.end.map { .next($0, count: count) }
        }
    }

    // MARK: Responses

    private func loadEnded(_ question: Question, _ result: Result<Reach?, any Error>, _ now: MonotonicTime) {
        server.underWay = nil
        if server.isRefreshDueAgain {
            server.isRefreshDueAgain = false
            server.isRefreshDue = true
        }
        switch result {
        case .success(let answer?): answered(question, answer, now)
        case .success(nil):
            // Too much changed, or the changes are unknown to the server: the pages are requested again.
            server.reach?.cursor = nil
            server.isRefreshDue = plantedFault != .takesTooMuchForNothing
        case .failure(let error):
            // Another trigger since the request was made causes a new request anyway.
            if question == .first || question == .changes, server.isRefreshDue { return }
            loadFailed(question, error)
        }
    }

    private func answered(_ question: Question, _ answer: Reach, _ now: MonotonicTime) {
        switch question {
        case .changes:
            server.reach = covering(answer)
        case .first:
            beginRest(answer)
            goOn()
        case .rest(let side):
            guard let pending = server.pending?.extended(by: answer, at: side, isNewest: side == newestSide) else {
                return loadFailed(question, LiveRemoteError.noProgress)
            }
            server.pending = pending
            goOn()
        case .more(let side):
            guard let reach = server.reach?.extended(by: answer, at: side, isNewest: side == newestSide) else {
                return loadFailed(question, LiveRemoteError.noProgress)
            }
            server.reach = reach
            if plantedFault == .takesNewerCursor { server.reach?.cursor = answer.cursor }
            window.confine(to: reach)
        }
        remoteTrouble = nil
        server.freshSince = now
    }

    private func beginRest(_ answer: Reach) {
        server.pending = covering(answer)
        server.goal = Reach(start: window.rows.first?.key, end: window.rows.last?.key)
        server.restPageSize = LiveLimits.catchUpPageSize
        server.restPagesLeft = LiveLimits.catchUpPagesMax
        if server.reach != nil {
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
        if plantedFault == .stopsRefreshEarly, let reach = server.reach {
            server.reach?.cursor = pending.cursor ?? reach.cursor
            server.abandonRefresh()
            server.isComplete = true
            return
        }
        if server.restPagesLeft > 0, let side = window.side(of: server.goal, outside: pending),
            plantedFault != .leavesHoles
        {
            server.restPagesLeft -= 1
            server.restSide = side
            return
        }
        server.reach = pending
        server.abandonRefresh()
        server.isComplete = true
        if plantedFault != .leavesHoles { window.confine(to: pending) }
    }

    private func loadFailed(_ question: Question, _ error: any Error) {
        remoteTrouble = trouble(error)
        let isRefreshDue = server.isRefreshDue
        if case .more = question {
        } else if server.reach != nil, window.sideForServer == nil {
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
    private func covering(_ answer: Reach) -> Reach {
        guard let newest = answer.newest, let asked = server.newestWhenAsked, asked > newest else { return answer }
        var reach = answer
        reach.newest = asked
        return reach
    }

    /// Checks whether records that arrived by themselves, such as a delivered message of this account, directly follow
    /// the range that the server has returned. If others may lie between, the list is not fresh, and the server is
    /// asked.
    func checkNewest() {
        guard let remote, !window.isStale else { return }
        server.hasGap = false
        guard let reach = server.reach, let newest = reach.newest, plantedFault != .leavesHoles,
            newestSide == .end ? reach.end == nil : reach.start == nil,
            let last = window.newestKey(where: remote.isPlaced), last > newest
        else { return }
        if window.count(after: newest, through: last) == remote.placedCount(after: newest, through: last) {
            server.reach?.newest = last
        } else {
            server.hasGap = plantedFault != .losesGap
        }
    }

    // MARK: Triggers

    func refresh(isNewSession: Bool) {
        guard remote != nil, plantedFault != .neverRefreshes else { return }
        if isNewSession, plantedFault != .staysFresh {
            server.forget()
            window.confine(to: nil)
            remoteTrouble = nil
        }
        server.askAgain()
    }

    func retryFailed() -> Bool {
        guard remote != nil, remoteTrouble != nil, plantedFault != .neverRefreshes else { return false }
        server.askAgain()
        return true
    }

    func adoptFreshness(from other: any LiveWindow, at now: MonotonicTime) -> Bool {
        guard let other = other as? WindowDriver<Query>, other.window.query == window.query, remote != nil,
            other.remote != nil, other.server.isFresh, let reach = other.server.reach,
            now - other.server.freshSince <= LiveLimits.freshnessAge
        else { return false }
        server = ServerProgress(isAsked: false)
        server.reach = reach
        server.freshSince = other.server.freshSince
        window.confine(to: reach)
        return true
    }
}

extension LiveReach where Key: Comparable {
    /// The range extended by a response on one side; `nil` if the response makes no progress.
    fileprivate func extended(by answer: LiveReach, at side: WindowSide, isNewest: Bool) -> LiveReach? {
        var reach = self
        switch side {
        case .start:
            if let start = answer.start, start == self.start { return nil }
            reach.start = answer.start
        case .end:
            if let end = answer.end, end == self.end { return nil }
            reach.end = answer.end
        }
        if isNewest { reach.newest = answer.newest }
        return reach
    }
}
