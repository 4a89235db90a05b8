package import CausewayModels

/// The effect of each ``Mutation`` on the message that it names: the rules shared by all stores.
///
/// Each step returns the new state of the message, unchanged if the step does not apply. `synced` is final: only newer
/// data from the server changes it.
extension Message {
    /// An attempt begins. Applies to queued messages: not to `error`, which must be resent first. For a message that is
    /// `syncing` it corrects the attempt under way, which the history contains already.
    package func attempted(previous: Int64, attempts: Int, at time: Timestamp) -> Message {
        guard isPending, !isParked else { return self }
        var message = self
        let isUnderWay = syncState == .syncing
        message.syncState = .syncing
        message.previousSequence = previous
        message.attempts = attempts
        message.lastAttemptAt = time
        return isUnderWay ? message : message.noted(at: time)
    }

    /// The attempt ended without a verdict; an earlier failure is out of date.
    package func requeued(attempts: Int, at time: Timestamp) -> Message {
        guard isPending, !isParked else { return self }
        var message = self
        message.syncState = .created
        message.attempts = attempts
        message.failure = nil
        return message.noted(at: time)
    }

    /// The server has the message, regardless of its state so far.
    package func delivered(_ serverPosition: ServerPosition, at time: Timestamp) -> Message {
        var message = syncState == .synced ? self : become(.synced, at: time)
        message.serverPosition = serverPosition
        message.failure = nil
        message.isInDoubt = false
        return message
    }

    /// The message failed.
    package func failed(_ failure: Failure, inDoubt: Bool) -> Message {
        guard isUndelivered else { return self }
        var message = become(.error, at: failure.at)
        // Only its target depends on an operation, so it pauses no lane.
        message.failure = role.isOperation ? failure.releasingLane : failure
        message.isInDoubt = inDoubt
        return message
    }

    /// The server has no copy of the transmitted message, and will accept none.
    package func settled() -> Message {
        guard isInDoubt else { return self }
        var message = self
        message.isInDoubt = false
        return message
    }

    /// Returns the message to the queue at `sequence`, which is 0 if it has to wait for the message that it refers to.
    /// Any open question about its old sequence belongs to a control entry.
    package func resent(sequence: Int64, at time: Timestamp) -> Message {
        guard isUndelivered else { return self }
        var message = become(.created, at: time)
        message.laneSequence = sequence
        message.queuedAt = time
        message.previousSequence = nil
        message.attempts = 0
        return message
    }

    /// The message that it waited for is on the server, or no longer exists: it gets its lane sequence.
    ///
    /// - Parameter time: the time from which its age in the queue counts, because waiting for another message does not
    ///   age it; `nil` keeps the age.
    package func released(sequence: Int64, at time: Timestamp?) -> Message {
        guard isParked else { return self }
        var message = self
        message.laneSequence = sequence
        if let time { message.queuedAt = time }
        return message
    }

    /// The server does not have the message that this one refers to: it waits for that one.
    package func parked(at time: Timestamp) -> Message {
        guard isPending else { return self }
        return resent(sequence: 0, at: time)
    }

    /// Replaces the content, while no copy of the message can exist elsewhere.
    package func rewritten(_ content: MessageContent) -> Message {
        guard isUndelivered else { return self }
        var message = self
        if message.confirmed != nil {
            message.confirmed?.content = content
        } else {
            message.displayed.content = content
        }
        return message
    }

    /// The outbox continues under another id, in which the message has this sequence and was never transmitted.
    package func forked(sequence: Int64, at time: Timestamp) -> Message {
        guard isPending, !isParked else { return self }
        var message = resumed(at: time)
        message.laneSequence = sequence
        message.previousSequence = nil
        return message
    }

    /// The number by which messages of a lane are ordered by delivery: the lane sequence, or the ordinal if the message
    /// was parked until a page contained it.
    package var place: Int64 { laneSequence == 0 ? ordinal : laneSequence }

    /// The server has lost the message: it is to be delivered again.
    ///
    /// - Parameter sequence: its new lane sequence; see ``LaneSequences``.
    package func lost(sequence: Int64, at time: Timestamp) -> Message {
        guard syncState == .synced, lane != nil else { return self }
        var message = become(.created, at: time)
        message.serverPosition = nil
        message.attempts = 0
        message.previousSequence = nil
        message.queuedAt = time
        message.laneSequence = sequence
        return message
    }

    /// The server's data have another history: the server's next version of the message replaces the known one,
    /// whatever its time.
    package func inOtherHistory() -> Message {
        guard syncState == .synced else { return self }
        var message = self
        message.confirmed?.changedAt = nil
        message.confirmed?.clock = VersionClock()
        message.displayed.changedAt = nil
        message.displayed.clock = VersionClock()
        return message
    }

    /// True for a message that was delivered from here, and that its lane's mark does not prove to be on the server.
    package func isBehind(_ marks: [LaneID: Int64]) -> Bool {
        guard let lane else { return false }
        return laneSequence == 0 || laneSequence > marks[lane] ?? 0
    }

    /// Another copy of the store has the message too, and may have delivered it.
    package func inDoubt() -> Message {
        guard syncState == .error else { return self }
        var message = self
        message.isInDoubt = true
        return message
    }

    /// The preceding link of the chain changed.
    package func rebased(previous: Int64) -> Message {
        guard isPending, !isParked else { return self }
        var message = self
        message.previousSequence = previous
        return message
    }

    /// Applies the server's version of a message that exists here: its content and its position.
    ///
    /// A page that was read before the last change known to this device reverts nothing.
    package func merged(with placed: RemoteMessage, at time: Timestamp) -> Message {
        var message = delivered(placed.serverPosition, at: time)
        var body = placed.body
        let known = confirmed ?? self.displayed
        if let changedAt = known.changedAt, body.changedAt.map({ $0 < changedAt }) ?? true {
            body = known
        } else {
            body.clock = known.clock
            body.clock.page = body.changedAt
        }
        if message.confirmed != nil { message.confirmed = body } else { message.displayed = body }
        return message
    }

    /// The session ended: a queued message becomes `error`, in doubt if it had been transmitted, now or before a
    /// resend, or if another copy of the store has it, too. An operation that waits for its target continues to wait.
    ///
    /// - Parameter sharedBelow: ``Lineage/sharedBelow``.
    package func sessionEnded(_ failure: Failure, sharedBelow: Int64) -> Message {
        guard isPending, !isWaitingOperation else { return self }
        return failed(failure, inDoubt: isInDoubt || previousSequence != nil || isShared(below: sharedBelow))
    }

    private func isShared(below limit: Int64) -> Bool { (isParked ? ordinal : laneSequence) < limit }

    /// The session ended: a failure of that session no longer pauses its lane.
    package func unpaused() -> Message {
        guard let failure, failure.pausesLane else { return self }
        var message = self
        message.failure = failure.releasingLane
        return message
    }

    /// The process that was sending the message has ended.
    package func resumed(at time: Timestamp) -> Message {
        isPending && syncState != .created ? become(.created, at: time) : self
    }

    /// Creates a message from a draft as it enters the store; `laneSequence` is 0 if it has to wait for the message
    /// that it refers to.
    package init(_ draft: MessageDraft, ordinal: Int64, laneSequence: Int64) {
        self.init(
            id: draft.id, channel: draft.channel, sender: draft.sender, role: draft.role,
            displayed: MessageBody(content: draft.content), createdAt: draft.createdAt, ordinal: ordinal,
            lane: draft.lane,
            laneSequence: laneSequence)
    }

    /// Creates a message of another user, or of another device of this account, as it enters the store.
    package init(_ placed: RemoteMessage, ordinal: Int64) {
        self.init(
            id: placed.id, channel: placed.channel, sender: placed.sender,
            role: placed.parent.map { .reply(to: $0) } ?? .message, displayed: placed.body,
            createdAt: placed.createdAt, ordinal: ordinal, lane: nil, laneSequence: 0, syncState: .synced,
            serverPosition: placed.serverPosition)
    }

    /// True for an operation whose target is not on the server yet.
    package var isWaitingOperation: Bool { isParked && role.isOperation }

    /// True while it is queued or being sent: undelivered, and not failed.
    package var isPending: Bool {
        switch syncState {
        case .created, .uploading, .syncing: true
        case .synced, .error: false
        }
    }

    /// The message as a link of its lane's chain; `nil` unless it is pending and has a lane sequence.
    package func entry(bytes: Int) -> OutboxEntry? {
        guard isPending, !isParked, let lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: laneSequence, previous: previousSequence, message: id,
            attempts: attempts, bytes: bytes, queuedAt: queuedAt, isOperation: role.isOperation)
    }

    /// The pause that the message causes, for a snapshot; `nil` unless it is `error` and its failure pauses its lane.
    package var pause: OutboxSnapshot.LanePause? {
        guard syncState == .error, let lane, let failure, failure.pausesLane else { return nil }
        return OutboxSnapshot.LanePause(lane: lane, message: id)
    }

    /// The fence for a message whose session ends in doubt; `nil` if no copy of it can exist elsewhere.
    ///
    /// - Parameters:
    ///   - sharedBelow: ``Lineage/sharedBelow``.
    ///   - takeSequence: assigns a number to a message without a lane sequence.
    package func fence(sharedBelow: Int64, _ takeSequence: () -> Int64) -> ChainMarker? {
        guard isPending, !isWaitingOperation, let lane, previousSequence != nil || isShared(below: sharedBelow) else {
            return nil
        }
        return ChainMarker(
            kind: .fence, lane: lane, sequence: isParked ? takeSequence() : laneSequence, previous: previousSequence,
            message: id)
    }

    private func become(_ state: SyncState, at time: Timestamp) -> Message {
        var message = self
        message.syncState = state
        return message.noted(at: time)
    }

    /// Records the current state in the message's history.
    private func noted(at time: Timestamp) -> Message {
        var message = self
        if message.history.count >= Limits.historyKeptMax { message.history.removeFirst() }
        message.history.append(StateChange(state: syncState, at: time))
        return message
    }
}
