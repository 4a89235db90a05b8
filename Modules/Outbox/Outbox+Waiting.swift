package import CausewayModels
import DequeModule

/// Reasons for waiting, and the state of the lanes.
extension Outbox {
    /// The reason why the message is not on the server yet; `nil` if it is not waiting to be sent. O(log n).
    package func waitReason(for message: MessageID, at moment: Moment) -> WaitReason? {
        guard let place = places[message], let index = lanes[place.lane].index(of: place.sequence) else {
            return nil
        }
        let lane = lanes[place.lane]
        if index < lane.inFlightCount { return .inFlight(since: flightStart(of: index, lane)) }
        if let reason = waitReasonOfAll(at: moment) { return reason }
        if laneIsPaused(place.lane), let failed = lane.pausing.first { return .lanePaused(by: failed) }
        if let head = lane.headMessage, head != message { return .behind(head) }
        if let blocker = blocker(of: place.lane), blocker.sequence < place.sequence,
            let earlier = configuration.precedence[lane.id]
        {
            return .behindLane(earlier, blocker.message)
        }
        if let hold = lane.hold, hold.until > moment.now {
            return .backingOff(until: moment.wall(at: hold.until), attempts: lane.slots[index].attempts)
        }
        return .ready
    }

    /// The reason why nothing at all is sent; `nil` if there is none.
    package func waitReasonOfAll(at moment: Moment) -> WaitReason? {
        guard hasSession else { return .noSession }
        if isPaused { return .paused }
        if let attention { return .needsAttention(attention) }
        switch link.state {
        case .unknown: return .offline(detail: "looking for the server", nextProbe: nil)
        case .offline(let detail, _):
            return .offline(detail: detail, nextProbe: link.nextProbe.map(moment.wall(at:)))
        case .settling(let until): return .settling(until: moment.wall(at: until))
        case .online: break
        }
        if let until = rateLimitedUntil, until > moment.now {
            return .rateLimited(until: moment.wall(at: until))
        }
        return nil
    }

    /// True if the message, or a fence for it, still has to be sent to the server.
    package func isWaiting(for message: MessageID) -> Bool { places[message] != nil || fences[message] != nil }

    /// The lanes with anything to send: their depth, and the reason why their oldest message waits.
    package func lanesInWords(
        at moment: Moment
    ) -> [(lane: LaneID, depth: Int, head: MessageID?, wait: WaitReason?)] {
        lanes.filter { !$0.slots.isEmpty }.map { lane in
            let head = lane.headMessage
            return (lane.id, lane.slots.count, head, head.flatMap { waitReason(for: $0, at: moment) })
        }
    }

    /// True unless the server is known to be unreachable.
    package var isReached: Bool {
        if case .offline = link.state { false } else { true }
    }

    package func connectivity(at moment: Moment) -> Connectivity {
        switch link.state {
        case .unknown: .unknown
        case .offline(let detail, let since):
            .offline(detail: detail, since: since, nextProbe: link.nextProbe.map(moment.wall(at:)))
        case .settling(let until): .settling(until: moment.wall(at: until))
        case .online: .online
        }
    }

    private func flightStart(of index: Int, _ lane: OutboxLane) -> Timestamp {
        var covered = 0
        for flight in lane.flights {
            covered += flight.round.operations.count
            if index < covered { return flight.since.wall }
        }
        return Timestamp(milliseconds: 0)
    }
}
