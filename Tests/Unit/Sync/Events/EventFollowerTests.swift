import CausewayModels
import CausewaySync
import CausewayTransport
import Testing

/// The decisions of the follower, input by input.
struct EventFollowerTests {
    private var follower = EventFollower()
    private let first = EventCursor(rawValue: "1")!
    private let second = EventCursor(rawValue: "2")!
    private let outage = EventProblem(.unreachable(detail: "cut"))

    private func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }
    private func stored(
        _ follower: inout EventFollower, _ cursor: EventCursor, limited: Set<ChannelID>? = nil,
        isUpToDate: Bool = true, isAwaited: Bool = false
    ) -> [EventFollower.Action] {
        follower.stored(cursor, limited: limited, isUpToDate: isUpToDate, isAwaited: isAwaited)
    }

    /// A follower that is up to date.
    private func upToDate() -> EventFollower {
        var follower = EventFollower()
        _ = follower.follow(from: first)
        _ = follower.serverBecame(ready: true, at: at(0))
        _ = stored(&follower, second)
        return follower
    }

    @Test func withoutACursorItIsTakenBeforeTheState() {
        var follower = EventFollower()
        #expect(follower.follow(from: nil) == [])
        #expect(follower.phase == .none)
        #expect(follower.serverBecame(ready: true, at: at(0)) == [.takeCursor])
        #expect(follower.located(first) == [.notify(.stateDue), .open(first)])
        #expect(follower.phase == .streaming)
    }

    @Test func withACursorNothingIsReadAnew() {
        var follower = EventFollower()
        #expect(follower.follow(from: first) == [])
        #expect(follower.phase == .interrupted)
        #expect(follower.serverBecame(ready: true, at: at(0)) == [.open(first)])
        #expect(stored(&follower, second, isUpToDate: false) == [.readOn])
        #expect(follower.state == .catchingUp)
        #expect(stored(&follower, second) == [.notify(.eventsCaughtUp), .readOn])
        #expect(follower.state == .upToDate)
        #expect(stored(&follower, second) == [.readOn])
        #expect(stored(&follower, second, isAwaited: true) == [.notify(.eventsCaughtUp), .readOn])
    }

    @Test func limitedChannelsAreReadAnewAndAResetEverything() throws {
        var follower = upToDate()
        let channel = try #require(ChannelID("general"))
        #expect(stored(&follower, second, limited: [channel]) == [.notify(.channelsDue([channel])), .readOn])
        #expect(stored(&follower, second, limited: []) == [.notify(.channelsDue([])), .readOn])
        #expect(follower.reset(to: first) == [.end, .notify(.stateDue), .open(first)])
        #expect(follower.cursor == first)
    }

    @Test func offlineNothingIsAttempted() {
        var follower = upToDate()
        #expect(follower.serverBecame(ready: false, at: at(1)) == [.end])
        #expect(follower.state == .waiting)
        #expect(follower.phase == .interrupted)
        #expect(follower.nextDeadline == at(31))
        #expect(follower.serverBecame(ready: false, at: at(2)) == [])
        #expect(follower.serverBecame(ready: true, at: at(3)) == [.open(second)])
        // Within the limit nobody was notified, and nothing is afterwards.
        _ = stored(&follower, second)
        #expect(follower.nextDeadline == nil)
    }

    @Test func aLongOutageIsReportedOnce() {
        var follower = upToDate()
        _ = follower.serverBecame(ready: false, at: at(1))
        #expect(follower.deadlineReached(at: at(30)) == [])
        #expect(follower.deadlineReached(at: at(31)) == [.notify(.eventsOutdated)])
        _ = follower.serverBecame(ready: true, at: at(40))
        _ = follower.failed(outage, at: at(41), jitter: 0)
        #expect(follower.deadlineReached(at: at(42)) == [.open(second)])
        #expect(stored(&follower, second) == [.notify(.eventsCaughtUp), .readOn])
    }

    @Test func failuresAreRepeatedMoreAndMoreSlowly() {
        var follower = upToDate()
        var now = at(0)
        var pauses: [Int64] = []
        var probes = 0
        for _ in 0..<9 {
            let actions = follower.failed(outage, at: now, jitter: 0)
            if actions.contains(.probe) { probes += 1 }
            guard case .backingOff(let until, _) = follower.state else { return }
            pauses.append((until - now).components.seconds)
            now = until
            _ = follower.deadlineReached(at: now)
        }
        #expect(pauses == [1, 2, 4, 8, 12, 12, 12, 12, 12])
        #expect(probes == 9)
    }

    /// The next request comes within 15 seconds of any repair.
    @Test func noFailureIsRepeatedLaterThanAfterFifteenSeconds() {
        var follower = upToDate()
        var now = at(0)
        for _ in 0..<20 {
            _ = follower.failed(outage, at: now, jitter: 1)
            guard case .backingOff(let until, _) = follower.state else { return }
            #expect(until - now <= .seconds(15))
            now = until
            _ = follower.deadlineReached(at: now)
        }
    }

    /// A refusal lasts, but each sign of a change ends its pause.
    @Test func aProbeThatSucceedsEndsThePauseAfterARefusal() {
        var follower = upToDate()
        #expect(follower.probeSucceeded() == [])
        _ = follower.failed(EventProblem(.refused(code: "notFound", detail: "")), at: at(10), jitter: 0)
        #expect(follower.probeSucceeded() == [.open(second)])
        _ = follower.failed(EventProblem(.transient(code: "", detail: "")), at: at(20), jitter: 0)
        #expect(follower.probeSucceeded() == [])
        guard case .backingOff = follower.state else {
            Issue.record("a failing server is asked again by every probe")
            return
        }
    }

    /// A server that can be reached, and fails only for events: lists are requested as without them.
    @Test func afterManyFailuresScreensDoNotRelyOnEvents() {
        var follower = upToDate()
        let problem = EventProblem(.transient(code: "503", detail: "busy"))
        for number in 1...5 {
            let actions = follower.failed(problem, at: at(number * 100), jitter: 0)
            #expect(actions == (number == 5 ? [.end, .notify(.reachable)] : [.end]))
            _ = follower.deadlineReached(at: at(number * 100 + 60))
        }
        #expect(follower.phase == .none)
        _ = stored(&follower, second)
        #expect(follower.phase == .streaming)
    }

    @Test func eachErrorHasItsConsequence() {
        let action = ActionRequired(cause: .tokenRefused, detail: "")
        let mismatch = ActionRequired(cause: .protocolMismatch, detail: "")
        let table: [(TransportError, seconds: Int64, isProbed: Bool)] = [
            (.unreachable(detail: ""), 1, true), (.inDoubt(detail: ""), 1, true),
            (.notSent(code: "", detail: ""), 1, false), (.transient(code: "", detail: ""), 1, false),
            (.serverFailed(code: "", detail: ""), 1, false), (.rateLimited(after: .seconds(7), detail: ""), 7, false),
            (.actionRequired(action), 1, true), (.actionRequired(mismatch), 1, true),
            (.storeForked(detail: ""), 1, true), (.historyChanged(detail: ""), 1, true),
            (.refused(code: "notFound", detail: ""), 600, false),
        ]
        for (error, seconds, isProbed) in table {
            var follower = upToDate()
            let actions = follower.failed(EventProblem(error), at: at(10), jitter: 0)
            #expect(actions.first == .end)
            #expect(actions.contains(.probe) == isProbed, "\(error)")
            guard case .backingOff(let until, _) = follower.state else {
                Issue.record("\(error) does not back off")
                continue
            }
            #expect(until == at(10 + Int(seconds)), "\(error)")
            #expect(follower.cursor == second)
        }
    }

    @Test func aCursorThatTheServerDoesNotUnderstandIsTakenAnew() {
        var follower = upToDate()
        let refusal = TransportError.refused(code: EventCursor.invalidCode, detail: "")
        _ = follower.failed(EventProblem(refusal), at: at(1), jitter: 0)
        #expect(follower.cursor == nil)
        #expect(follower.deadlineReached(at: at(2)) == [.takeCursor])
    }

    @Test func lateResultsChangeNothing() {
        var follower = upToDate()
        _ = follower.stop()
        let ended = follower
        #expect(stored(&follower, first) == [])
        #expect(follower.located(first) == [])
        #expect(follower.reset(to: first) == [])
        #expect(follower.failed(outage, at: at(1), jitter: 0) == [])
        #expect(follower.deadlineReached(at: at(99)) == [])
        #expect(follower == ended)
    }

    @Test func anotherHistoryNeedsAnotherCursor() {
        var follower = upToDate()
        #expect(follower.forgetCursor() == [.end])
        #expect(follower.serverBecame(ready: true, at: at(1)) == [.takeCursor])
    }

    @Test func aChangeOfTheNetworkEndsAPause() {
        var follower = upToDate()
        _ = follower.failed(outage, at: at(1), jitter: 0)
        #expect(follower.networkChanged(at: at(1)) == [])
        #expect(follower.serverBecame(ready: true, at: at(1)) == [.open(second)])
        #expect(follower.networkChanged(at: at(2)) == [.end])
    }
}
