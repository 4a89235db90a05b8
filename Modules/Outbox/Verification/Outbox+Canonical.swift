package import CausewayModels
import DequeModule

/// Canonical states for an exhaustive search: states that differ only in absolute times, or in the numbers of batches,
/// are equal.
extension Outbox {
    /// The batches that the machine still waits for, in no particular order.
    package var batchesUnderWay: [Int] { lanes.flatMap { $0.inFlightBatches.map(\.batch.id) } }

    /// The same outbox with `now` as the zero of its clock, and its batches renumbered. It behaves identically: no
    /// decision depends on how long ago a past event was beyond its limit, and batch numbers are only compared for
    /// equality.
    ///
    /// - Parameter batches: a new number for each of ``batchesUnderWay``.
    package func canonical(at now: MonotonicTime, batches: [Int: Int]) -> Outbox {
        var same = self
        same.nextBatch = (batches.values.max() ?? 0) + 1
        same.rateLimitedUntil = rateLimitedUntil?.fromNow(now)
        same.startOverUntil = startOverUntil?.fromNow(now)
        same.connection = connection.canonical(at: now, configuration)
        same.turns = turns.renumbered(batches)
        same.start = start.map { _ in ClockReading(now: .zero, wall: Timestamp(milliseconds: 0)) }
        same.questionHolds = questionHolds.filter { lanes[$0].hold?.isOfQuestions == true }
        for lane in same.lanes.indices {
            same.lanes[lane].hold = lanes[lane].hold.map {
                OutboxLane.Hold(until: $0.until.fromNow(now), evidenceEndsFrom: $0.evidenceEndsFrom?.fromNow(now))
            }
            same.lanes[lane].removedCount = 0
            for index in lanes[lane].slots.indices {
                same.lanes[lane].slots[index].queuedAt = canonicalAge(lanes[lane].slots[index].queuedAt, at: now)
            }
            same.lanes[lane].emptyBatchFailures = min(lanes[lane].emptyBatchFailures, 7)
            for inFlight in lanes[lane].inFlightBatches.indices {
                let number = lanes[lane].inFlightBatches[inFlight].batch.id
                same.lanes[lane].inFlightBatches[inFlight].batch.id = batches[number] ?? number
                same.lanes[lane].inFlightBatches[inFlight].since.now = .zero
            }
        }
        return same
    }
}

extension Outbox {
    /// The time of entering the queue, by a clock that starts now; ages beyond the expiry are equal.
    private func canonicalAge(_ queuedAt: Timestamp, at now: MonotonicTime) -> Timestamp {
        guard let start, let expiry = configuration.expiry else { return queuedAt }
        let wall = start.wall.advanced(by: now - start.now)
        let age = min(max(0, wall.milliseconds - queuedAt.milliseconds), expiry.wholeMilliseconds)
        return Timestamp(milliseconds: -age)
    }
}

extension ConnectionState {
    fileprivate func canonical(at now: MonotonicTime, _ configuration: OutboxConfiguration) -> ConnectionState {
        var same = self
        same.nextProbe = nextProbe?.fromNow(now)
        same.lastHeard = configuration.idleProbeInterval.flatMap { lastHeard?.ago(now, atMost: $0) }
        same.lastProbe = lastProbe?.ago(now, atMost: configuration.probeInterval)
        switch state {
        case .settling(let until): same.state = .settling(until: until.fromNow(now))
        case .online(let since): same.state = .online(since: since.ago(now, atMost: configuration.stableAfter))
        case .unknown, .offline: break
        }
        var doublings = 0
        var pause = configuration.probeInterval
        while pause < configuration.probeIntervalMax {
            pause *= 2
            doublings += 1
        }
        same.failures = min(failures, doublings)
        return same
    }
}

extension MonotonicTime {
    /// A future time, on a clock that starts now.
    fileprivate func fromNow(_ now: MonotonicTime) -> MonotonicTime { .zero + max(.zero, self - now) }

    /// A past time, on a clock that starts now; ages beyond `most` are equal.
    fileprivate func ago(_ now: MonotonicTime, atMost most: Duration) -> MonotonicTime {
        .zero + max(.zero - most, self - now)
    }
}
