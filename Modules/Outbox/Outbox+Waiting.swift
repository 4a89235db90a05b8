package import CausewayModels
import DequeModule

/// Reasons for waiting, and the state of the lanes.
extension Outbox {
    /// The reason why the message is not on the server yet; `nil` if it is not waiting to be sent. O(log n).
    package func waitReason(for message: MessageID, at clock: ClockReading) -> WaitReason? {
        guard let location = locations[message], let index = lanes[location.lane].index(of: location.sequence) else {
            return nil
        }
        let lane = lanes[location.lane]
        if index < lane.inFlightCount { return .inFlight(since: inFlightSince(of: index, lane)) }
        if let reason = waitReasonOfAll(at: clock) { return reason }
        if laneIsPaused(location.lane), let failed = lane.pausing.first { return .lanePaused(by: failed) }
        if let head = lane.headMessage, head != message { return .behind(head) }
        if let blocker = blocker(of: location.lane), blocker.sequence < location.sequence,
            let earlier = configuration.precedence[lane.id]
        {
            return .behindLane(earlier, blocker.message)
        }
        if let hold = lane.hold, hold.until > clock.now {
            return .backingOff(until: clock.wall(at: hold.until), attempts: lane.slots[index].attempts)
        }
        return .ready
    }

    /// The reason why nothing at all is sent; `nil` if there is none.
    package func waitReasonOfAll(at clock: ClockReading) -> WaitReason? {
        guard hasSession else { return .noSession }
        if isPaused { return .paused }
        if let actionRequired { return .actionRequired(actionRequired) }
        switch connection.state {
        case .unknown: return .offline(detail: "looking for the server", nextProbe: nil)
        case .offline(let detail, _):
            return .offline(detail: detail, nextProbe: connection.nextProbe.map(clock.wall(at:)))
        case .settling(let until): return .settling(until: clock.wall(at: until))
        case .online: break
        }
        if let until = rateLimitedUntil, until > clock.now {
            return .rateLimited(until: clock.wall(at: until))
        }
        return nil
    }

    /// True if a confirmation of the message changes anything: the message, or a fence for it, still has to be sent to
    /// the server, or its failure pauses a lane.
    package func awaitsConfirmation(of message: MessageID) -> Bool {
        locations[message] != nil || fences[message] != nil || pausing[message] != nil
    }

    /// The lanes with anything to send: their depth, and the reason why their oldest message waits.
    package func lanesInWords(
        at clock: ClockReading
    ) -> [(lane: LaneID, depth: Int, head: MessageID?, wait: WaitReason?)] {
        lanes.filter { !$0.slots.isEmpty }.map { lane in
            let head = lane.headMessage
            return (lane.id, lane.slots.count, head, head.flatMap { waitReason(for: $0, at: clock) })
        }
    }

    /// True unless the server is known to be unreachable.
    package var isReached: Bool {
        if case .offline = connection.state { false } else { true }
    }

    package func connectivity(at clock: ClockReading) -> Connectivity {
        switch connection.state {
        case .unknown: .unknown
        case .offline(let detail, let since):
            .offline(detail: detail, since: since, nextProbe: connection.nextProbe.map(clock.wall(at:)))
        case .settling(let until): .settling(until: clock.wall(at: until))
        case .online: .online
        }
    }

    private func inFlightSince(of index: Int, _ lane: OutboxLane) -> Timestamp {
        var covered = 0
        for inFlight in lane.inFlightBatches {
            covered += inFlight.batch.operations.count
            if index < covered { return inFlight.since.wall }
        }
        return Timestamp(milliseconds: 0)
    }
}
