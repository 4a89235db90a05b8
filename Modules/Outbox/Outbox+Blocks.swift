package import CausewayModels
import DequeModule

/// The reasons for waiting: those that sending obeys are those that are shown.
extension Outbox {
    // MARK: - The whole outbox

    /// The reason why nothing at all is sent, apart from a server's request to wait.
    private var lastingStandstill: Standstill? {
        guard hasSession else { return .noSession }
        if isPaused { return .paused }
        if let actionRequired { return .actionRequired(actionRequired) }
        switch connection.state {
        case .unknown: return .unknownServer
        case .offline(let detail, _): return .offline(detail: detail)
        case .settling(let until): return .settling(until: until)
        case .online: return nil
        }
    }

    /// The reason why nothing at all is sent; `nil` if there is none.
    func standstill(at now: MonotonicTime) -> Standstill? {
        if let lastingStandstill { return lastingStandstill }
        if let rateLimitedUntil, rateLimitedUntil > now { return .rateLimited(until: rateLimitedUntil) }
        if let startOverUntil, startOverUntil > now { return .startingOver(until: startOverUntil) }
        return nil
    }

    /// True if only a deadline keeps the lanes from sending.
    var mayTransmitButForTime: Bool { lastingStandstill == nil }

    // MARK: - One lane

    /// The reason why messages of the lane wait, though its fences need not; `nil` if there is none. O(1) amortised.
    ///
    /// The sequences of all lanes come from one counter, so they order creation across lanes as well. Every link of an
    /// earlier lane counts, including a fence without a verdict: only the verdict shows whether its message is on the
    /// server.
    func messageBlock(of lane: Int) -> LaneBlock? {
        if let failed = failedMessage(pausing: lane) { return .failed(failed) }
        let uploading = uploads.firstPending(in: lanes[lane].id).map { pending in
            LaneBlock.uploading(pending.message, from: pending.sequence)
        }
        guard let earlier = earlierBlock(of: lane) else { return uploading }
        guard let uploading, uploading.messagesBelow < earlier.messagesBelow else { return earlier }
        return uploading
    }

    /// The oldest link of the lane that this one waits for.
    private func earlierBlock(of lane: Int) -> LaneBlock? {
        guard let earlier = configuration.precedence[lanes[lane].id], let index = laneIndices[earlier],
            let slot = lanes[index].firstSlot
        else { return nil }
        return .earlier(earlier, slot.message, from: slot.sequence)
    }

    /// The reason why the lane sends nothing; `nil` if there is none. A pause of fences delays no message.
    func batchBlock(of lane: Int, at clock: ClockReading) -> LaneBlock? {
        if let standstill = standstill(at: clock.now) { return .standstill(standstill) }
        guard let hold = lanes[lane].hold, hold.until > clock.now,
            !hold.isOfQuestions || !hasMessageToSend(lane, clock)
        else { return nil }
        return .hold(until: hold.until)
    }

    /// The sequence from which messages of the lane must wait.
    func messagesBelow(in lane: Int) -> Int64 { messageBlock(of: lane)?.messagesBelow ?? .max }

    /// True if the lane's next batch would contain a message, apart from any pause of its own.
    func hasMessageToSend(_ lane: Int, _ clock: ClockReading) -> Bool {
        lanes[lane].hasMessageToSend(
            below: messagesBelow(in: lane), within: configuration.batchOperationsMax,
            expiredUntil: aging.expiredUntil(clock))
    }

    /// The lanes that wait for this one.
    func followers(of lane: Int) -> [Int] {
        guard !configuration.precedence.isEmpty else { return [] }
        let id = lanes[lane].id
        return configuration.precedence.filter { $0.value == id }.compactMap { laneIndices[$0.key] }.sorted()
    }

    // MARK: - Reasons to show

    /// The reason why the message is not on the server yet; `nil` if it is not waiting to be sent. O(log n).
    package func waitReason(for message: MessageID, at clock: ClockReading) -> WaitReason? {
        guard let slot = sendSlot(of: message) else { return nil }
        let lane = lanes[slot.lane]
        if let since = slot.index < lane.inFlightCount ? lane.inFlightSince(slot.index) : nil {
            return .inFlight(since: since)
        }
        if let reason = waitReasonOfAll(at: clock) { return reason }
        let block = messageBlock(of: slot.lane)
        if case .failed(let failed) = block { return .lanePaused(by: failed) }
        if let reason = uploadReason(of: lane.slots[slot.index], at: clock) { return reason }
        if let head = lane.headMessage, head != message { return .behind(head) }
        if case .earlier(let id, let blocker, from: let sequence) = block, sequence < lane.slots[slot.index].sequence {
            return .behindLane(id, blocker)
        }
        if case .hold(let until) = batchBlock(of: slot.lane, at: clock) {
            return .backingOff(until: clock.wall(at: until), attempts: lane.slots[slot.index].attempts)
        }
        return .ready
    }

    /// The reason why nothing at all is sent; `nil` if there is none.
    package func waitReasonOfAll(at clock: ClockReading) -> WaitReason? {
        switch standstill(at: clock.now) {
        case nil: nil
        case .noSession: .noSession
        case .paused: .paused
        case .actionRequired(let actionRequired): .actionRequired(actionRequired)
        case .unknownServer: .offline(detail: "looking for the server", nextProbe: nil)
        case .offline(let detail): .offline(detail: detail, nextProbe: connection.nextProbe.map(clock.wall(at:)))
        case .settling(let until): .settling(until: clock.wall(at: until))
        case .rateLimited(let until): .rateLimited(until: clock.wall(at: until))
        case .startingOver(let until): .startingOver(until: clock.wall(at: until))
        }
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

    /// True if the server was reached, and accepts the account: other requests than deliveries may be made.
    package var isServerReady: Bool {
        guard hasSession, actionRequired == nil else { return false }
        switch connection.state {
        case .settling, .online: return true
        case .unknown, .offline: return false
        }
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
}
