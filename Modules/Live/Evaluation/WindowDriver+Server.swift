import CausewayModels

/// Asking the server.
extension WindowDriver {
    private typealias Question = ServerProgress<Query.Key>.Question

    /// True when an answer of the server is still to come.
    var isAskingServer: Bool { server.underWay != nil || wantsLoad }

    var wantsLoad: Bool { nextQuestion != nil }

    private var nextQuestion: Question? {
        remote == nil ? nil : server.next(lacking: window.sideForServer)
    }

    func beginLoad() -> LiveLoad? {
        guard let remote, let question = nextQuestion, let page = page(for: question) else { return nil }
        server.underWay = question
        if question == .first { server.isFirstDue = false }
        return LiveLoad {
            let result: Result<LiveReach<Query.Key>, any Error>
            do {
                result = .success(try await remote.load(page))
            } catch {
                result = .failure(error)
            }
            return LiveLoadEnd { window, now in (window as? WindowDriver<Query>)?.loadEnded(question, result, now) }
        }
    }

    private func page(for question: Question) -> LiveRemotePage<Query.Key>? {
        switch question {
        case .first: .first
        case .rest(let side): page(beyond: server.pending, side, count: LiveLimits.catchUpPageSize)
        case .more(let side): page(beyond: server.reach, side, count: window.pageSize)
        }
    }

    private func page(
        beyond reach: LiveReach<Query.Key>?, _ side: WindowSide, count: Int
    ) -> LiveRemotePage<Query.Key>? {
        switch side {
        case .start: reach?.start.map { .previous($0, count: count) }
        case .end: reach?.end.map { .next($0, count: count) }
        }
    }

    // MARK: Answers

    private func loadEnded(
        _ question: Question, _ result: Result<LiveReach<Query.Key>, any Error>, _ now: MonotonicTime
    ) {
        server.underWay = nil
        if server.isFirstDueAgain {
            server.isFirstDueAgain = false
            server.isFirstDue = true
        }
        switch result {
        case .success(let answer): answered(question, answer, now)
        case .failure(let error):
            // Since it was asked, something came about that makes it worth while to ask again.
            if question == .first, server.isFirstDue { return }
            loadFailed(question, error)
        }
    }

    private func answered(_ question: Question, _ answer: LiveReach<Query.Key>, _ now: MonotonicTime) {
        remoteTrouble = nil
        server.freshSince = now
        switch question {
        case .first:
            server.pending = answer
            server.restPagesLeft = LiveLimits.catchUpPagesMax
            goOn()
        case .rest(let side):
            server.pending = server.pending.map { $0.extended(by: answer, at: side) }
            goOn()
        case .more(let side):
            server.reach = server.reach.map { $0.extended(by: answer, at: side) }
            window.confine(to: server.reach)
        }
    }

    /// Asks on for what is shown beyond the first page, or comes to an end with it.
    private func goOn() {
        guard let pending = server.pending else { return }
        if server.restPagesLeft > 0, let side = window.sideOutside(pending), plantedFault != .leavesHoles {
            server.restPagesLeft -= 1
            server.restSide = side
            server.isFresh = false
            return
        }
        server.reach = pending
        server.pending = nil
        server.restSide = nil
        server.isFresh = true
        if plantedFault != .leavesHoles { window.confine(to: pending) }
    }

    private func loadFailed(_ question: Question, _ error: any Error) {
        remoteTrouble = trouble(error)
        // Without the server what is stored is shown, holes and all; and it is not said to be fresh.
        guard question != .first || window.sideForServer != nil || server.reach == nil else { return }
        let isFirstDue = server.isFirstDue
        server.forget()
        server.isFirstDue = isFirstDue
        window.confine(to: nil)
    }

    // MARK: Occasions

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

extension LiveReach {
    /// Reaches as far as an answer says, at one side. An answer that leads nowhere is the last one.
    fileprivate func extended(by answer: LiveReach, at side: WindowSide) -> LiveReach {
        switch side {
        case .start: LiveReach(start: answer.start == start ? nil : answer.start, end: end)
        case .end: LiveReach(start: start, end: answer.end == end ? nil : answer.end)
        }
    }
}
