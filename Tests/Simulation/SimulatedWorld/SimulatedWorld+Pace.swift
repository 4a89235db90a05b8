import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel
import CausewayStorage

/// The witness's records of a client's connection to the hub, since its machine was started.
struct ConnectionRecord {
    /// True from an error that shows that the hub cannot be reached, until the hub responds to a probe.
    var isOut = false
    /// Nothing may be sent before this time: the hub is reached again, and the connection settles.
    var stableFrom = MonotonicTime.zero
    /// Until this time the machine may pause because it has started over, or the hub has another history.
    var startsOverUntil = MonotonicTime.zero
    /// No upload may begin before this time, at the hub's request.
    var uploadsQuietUntil = MonotonicTime.zero
    var lastProbe: MonotonicTime?
    /// The time when the last probe failed, and how many before it failed since the hub was reached.
    var failedProbe: (at: MonotonicTime, number: Int)?
    /// True when a probe may come earlier than the pause after the last one: messages were enqueued, or a user asked.
    var isHurried = false
}

/// The pace of the machine: settling is waited for, probes keep their distance, and a wait has an end that is near.
extension SimulatedWorld {
    // MARK: - The witness

    /// Records what an event says about the connection, before the machine is notified.
    func noteConnection(_ event: OutboxEvent, _ client: Int) {
        switch event {
        case .failed(let batch, let error):
            guard clients[client].machine?.outbox.batchesUnderWay.contains(batch.id) == true else { return }
            noteSetback(batch, error, client)
            noteSilence(after: batch, error, client)
            switch error {
            case .unreachable, .inDoubt: clients[client].connection.isOut = true
            case .historyChanged: clients[client].connection.startsOverUntil = now + Self.startOverPauseMax
            default: break
            }
        case .responded(let batch, _): noteResponse(to: batch, client)
        case .forked: clients[client].setbacks = [:]
        case .probeFailed(let error): noteProbe(error, client)
        case .authenticated: noteReached(client)
        case .enqueued, .probeRequested, .sessionBegan, .actionResolved: clients[client].connection.isHurried = true
        default: break
        }
    }

    private func noteProbe(_ error: TransportError, _ client: Int) {
        switch error {
        case .unreachable, .inDoubt:
            let connection = clients[client].connection
            let number = connection.isOut ? (connection.failedProbe?.number ?? 0) + 1 : 1
            clients[client].connection.isOut = true
            // While an action is required, probes have a pace of their own.
            let isCounted = clients[client].machine?.outbox.actionRequired == nil
            clients[client].connection.failedProbe = isCounted ? (now, number) : nil
            clients[client].connection.isHurried = false
        case .transient, .serverFailed, .rateLimited: noteReached(client)
        case .actionRequired, .refused, .notSent, .storeForked, .historyChanged:
            clients[client].connection.failedProbe = nil
        }
    }

    private func noteReached(_ client: Int) {
        if clients[client].connection.isOut {
            clients[client].connection.stableFrom = now + plan.configuration.settlingTime
        }
        clients[client].connection.isOut = false
        clients[client].connection.failedProbe = nil
    }

    /// The time until which a request to wait is obeyed.
    func quiet(after: Duration) -> MonotonicTime {
        let limits = plan.configuration
        return now + min(max(after, limits.rateLimitWaitMin), limits.rateLimitWaitMax)
    }

    // MARK: - Sending

    /// Checks that nothing is sent while the hub is out of reach, or before the connection has settled.
    func brokenBySettling(_ client: Int) -> String? {
        let connection = clients[client].connection
        if connection.isOut { return "client \(client) sends while the hub is out of reach" }
        if now < connection.stableFrom { return "client \(client) sends before the connection has settled" }
        return nil
    }

    // MARK: - Size of batches

    /// A batch of this size is sent however slow the link is.
    private static let sizeAlwaysSent = 32 * 1024
    /// The responses after which a larger batch is tried than after one that got none.
    private static let responsesBeforeLarger = 8

    /// Bytes of a batch, with what surrounds its contents.
    private func size(of batch: Batch, _ client: Int) -> Int {
        batch.operations.reduce(0) { size, operation in
            let item = operation.kind == .send ? clients[client].store.items[operation.message] : nil
            return size + 512 + (item?.syncState == .syncing ? item?.sentContent.modelBytes ?? 0 : 0)
        }
    }

    private func noteSilence(after batch: Batch, _ error: TransportError, _ client: Int) {
        guard case .inDoubt = error, case let size = size(of: batch, client), size > Self.sizeAlwaysSent else { return }
        clients[client].setbacks[batch.lane, default: LaneSetbacks()].sizeMax = max(Self.sizeAlwaysSent, size / 2)
        clients[client].setbacks[batch.lane]?.responsesSinceSilence = 0
    }

    private func noteResponse(to batch: Batch, _ client: Int) {
        guard let setbacks = clients[client].setbacks[batch.lane], setbacks.sizeMax != nil else { return }
        clients[client].setbacks[batch.lane]?.responsesSinceSilence += 1
        if setbacks.responsesSinceSilence + 1 >= Self.responsesBeforeLarger {
            clients[client].setbacks[batch.lane]?.sizeMax = nil
        }
    }

    /// Checks that after a large batch got no response, the next ones are half as large for some responses.
    func tooLargeAfterSilence(_ batch: Batch, _ client: Int) -> String? {
        guard let most = clients[client].setbacks[batch.lane]?.sizeMax,
            batch.operations.count(where: { $0.kind == .send }) > 1
        else { return nil }
        let size = size(of: batch, client)
        return size > most ? "\(size) bytes are sent after a large batch got no response, at most \(most)" : nil
    }

    // MARK: - Probes

    /// Checks that a probe that only time or new messages cause keeps its distance from the one before, which doubles
    /// with each failure.
    func brokenByProbe(_ event: OutboxEvent, _ client: Int) -> String? {
        let connection = clients[client].connection
        clients[client].connection.lastProbe = now
        switch event {
        case .deadline: break
        case .enqueued: counts.milestones.reach(.hurriedProbe)
        default: return nil
        }
        let limits = plan.configuration
        if let last = connection.lastProbe, now - last < limits.probeInterval {
            return "client \(client) probes the hub \(now - last) after the last time"
        }
        guard !connection.isHurried, connection.isOut, let failed = connection.failedProbe,
            clients[client].machine?.outbox.actionRequired == nil
        else { return nil }
        let doubled = limits.probeInterval * (1 << min(failed.number - 1, 10))
        let pause = min(doubled, limits.probeIntervalMax) / 100 * (100 - limits.retry.jitterPercent)
        return now - failed.at < pause
            ? "client \(client) probes the hub \(now - failed.at) after failure \(failed.number)" : nil
    }

    // MARK: - Waiting

    /// Checks that the end of a wait for the connection is near, and that a timer is set for it.
    func waitsTooLong(_ reason: WaitReason, _ index: Int, _ machine: Machine, _ clock: ClockReading) -> String? {
        let client = clients[index]
        let limits = plan.configuration
        switch reason {
        case .settling(let until):
            let left = left(until, clock)
            if left > limits.settlingTime { return "client \(index) settles for \(left)" }
            return isTimerSet(machine, within: left) ? nil : "client \(index): no timer ends its settling"
        case .rateLimited(let until):
            // The longer of two pauses decides.
            let left = max(left(until, clock), client.connection.startsOverUntil - now)
            return isTimerSet(machine, within: left) ? nil : "client \(index): no timer ends a rate limit"
        case .startingOver(let until):
            let left = left(until, clock)
            if left > Self.startOverPauseMax { return "client \(index) starts over for \(left)" }
            return isTimerSet(machine, within: left) ? nil : "client \(index): no timer ends its start over"
        case .offline(_, let probe?):
            guard client.probesUnderWay == 0, !client.isShared else { return nil }
            let left = left(probe, clock)
            let most = max(limits.probeIntervalMax, client.quietUntil - now)
            if left > most { return "client \(index): the next probe is \(left) away" }
            return isTimerSet(machine, within: left) ? nil : "client \(index): no timer is set for its next probe"
        case .actionRequired:
            guard client.probesUnderWay == 0, !client.isShared else { return nil }
            let most = max(limits.recoveryProbeInterval, client.quietUntil - now)
            return isTimerSet(machine, within: most)
                ? nil : "client \(index): nothing looks at the required action within \(most)"
        default: return nil
        }
    }

    /// Checks that the pause of a lane is no longer than the longest after a failure, and that a timer ends it.
    func pausesTooLong(
        _ message: MessageID, until: Timestamp, _ index: Int, _ machine: Machine, _ clock: ClockReading
    ) -> String? {
        let left = left(until, clock)
        let most = longestPause
        if left > most {
            return "client \(index): \(message.value.low) pauses for \(left), at most \(most) are allowed"
        }
        // The retry of an upload may wait for a rate limit of uploads.
        if clients[index].store.items[message]?.upload?.isPending == true { return nil }
        return isTimerSet(machine, within: left)
            ? nil : "client \(index): no timer ends the pause of \(message.value.low)"
    }

    /// Checks that questions alone do not wait for longer than the longest pause between them.
    func questionsWaitTooLong(_ index: Int, _ machine: Machine) -> String? {
        isTimerSet(machine, within: longestPause)
            ? nil : "client \(index): no open question is asked within \(longestPause)"
    }

    private static let questionPauseMax: Duration = .seconds(15)
    private static let startOverPauseMax: Duration = .seconds(15)

    private var longestPause: Duration {
        let limits = plan.configuration
        let last = limits.retry.pause(afterAttempts: limits.retry.retriesMax + 1)
        let pauses = [last, limits.retry.interval, limits.probeInterval]
        let longest = pauses.reduce(Duration.zero, max)
        return max(longest + longest / 100 * limits.retry.jitterPercent, Self.questionPauseMax)
    }

    /// The time left, in whole milliseconds, which is how wall clocks count.
    private func left(_ until: Timestamp, _ clock: ClockReading) -> Duration {
        .milliseconds(until.milliseconds - clock.wall.milliseconds - 1)
    }

    private func isTimerSet(_ machine: Machine, within time: Duration) -> Bool {
        machine.outbox.nextDeadline.map { $0 <= now + time + .milliseconds(2) } ?? false
    }

    // MARK: - Expiry

    /// Checks that a message that may wait no longer has failed.
    func outlivesItself(_ index: Int) -> String? {
        let client = clients[index]
        guard let expiry = plan.configuration.expiry, client.openCalls.isEmpty, client.original == nil else {
            return nil
        }
        for entry in client.store.entries where entry.kind == .send {
            guard let queued = expected.records[entry.message]?.queued, queued.process == client.process else {
                continue
            }
            let age = now - queued.at
            if age > expiry + .milliseconds(2) {
                return "\(entry.message.value.low) is \(age) old, and does not expire"
            }
        }
        return nil
    }
}
