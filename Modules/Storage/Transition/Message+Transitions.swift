package import CausewayModels

/// What each ``Mutation`` does to the one message it names: the rules that all stores share.
///
/// Each step returns the message as it stands afterwards, unchanged where the step does not apply. `synced` is
/// final: nothing but a newer word of the server touches it.
extension Message {
    /// An attempt begins. Applies to what is in the queue: not to `error`, which a resend must put back first. For what
    /// is `syncing` it corrects the attempt under way, which its history holds already.
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

    /// The attempt ended without a verdict; what an earlier failure said is out of date.
    package func requeued(attempts: Int, at time: Timestamp) -> Message {
        guard isPending, !isParked else { return self }
        var message = self
        message.syncState = .created
        message.attempts = attempts
        message.failure = nil
        return message.noted(at: time)
    }

    /// The server has it, whatever was thought before.
    package func delivered(_ placement: Placement, at time: Timestamp) -> Message {
        var message = syncState == .synced ? self : become(.synced, at: time)
        message.placement = placement
        message.failure = nil
        message.isInDoubt = false
        return message
    }

    /// Given up.
    package func failed(_ failure: Failure, inDoubt: Bool) -> Message {
        guard isUndelivered else { return self }
        var message = become(.error, at: failure.at)
        // Nothing waits for an operation but its message, so it pauses no lane.
        message.failure = role.isOperation ? failure.releasingLane : failure
        message.isInDoubt = inDoubt
        return message
    }

    /// The server has no copy of what was transmitted, and will take none.
    package func settled() -> Message {
        guard isInDoubt else { return self }
        var message = self
        message.isInDoubt = false
        return message
    }

    /// Back into the queue at `sequence`, which is 0 when it has to wait for the message that it is about; whatever is
    /// still to be asked about its old place is a control entry's.
    package func resent(sequence: Int64, at time: Timestamp) -> Message {
        guard isUndelivered else { return self }
        var message = become(.created, at: time)
        message.laneSequence = sequence
        message.queuedAt = time
        message.previousSequence = nil
        message.attempts = 0
        return message
    }

    /// The message that it waited for is on the server, or gone: it gets its place.
    ///
    /// - Parameter time: the moment from which its age in the queue counts, because waiting for another message ages
    ///   nothing; `nil` keeps the age.
    package func released(sequence: Int64, at time: Timestamp?) -> Message {
        guard isParked else { return self }
        var message = self
        message.laneSequence = sequence
        if let time { message.queuedAt = time }
        return message
    }

    /// The server has not got the message that it is about: it waits for that one.
    package func parked(at time: Timestamp) -> Message {
        guard isPending else { return self }
        return resent(sequence: 0, at: time)
    }

    /// Another content, while no copy of it can be anywhere else.
    package func rewritten(_ content: MessageContent) -> Message {
        guard isUndelivered else { return self }
        var message = self
        if message.base != nil { message.base?.content = content } else { message.face.content = content }
        return message
    }

    /// The outbox goes on under another id, in which it has this sequence and was never transmitted.
    package func forked(sequence: Int64, at time: Timestamp) -> Message {
        guard isPending, !isParked else { return self }
        var message = resumed(at: time)
        message.laneSequence = sequence
        message.previousSequence = nil
        return message
    }

    /// The number that puts it where it was delivered in its lane; its ordinal, when it was parked until a page showed
    /// it.
    package var place: Int64 { laneSequence == 0 ? ordinal : laneSequence }

    /// The server has lost it: it is to be delivered again.
    ///
    /// - Parameter sequence: one of the places of what was lost in its lane. They were given under several outbox ids,
    ///   perhaps, and are given anew in the order of creation.
    package func lost(sequence: Int64, at time: Timestamp) -> Message {
        guard syncState == .synced, lane != nil else { return self }
        var message = become(.created, at: time)
        message.placement = nil
        message.attempts = 0
        message.previousSequence = nil
        message.queuedAt = time
        message.laneSequence = sequence
        return message
    }

    /// The server's data have another history: what it says of the message now holds, whatever was known.
    package func inOtherHistory() -> Message {
        guard syncState == .synced else { return self }
        var message = self
        message.base?.changedAt = nil
        message.base?.clock = FaceClock()
        message.face.changedAt = nil
        message.face.clock = FaceClock()
        return message
    }

    /// True for what was delivered from here, and is not proven by the marks of its lanes to be on the server.
    package func isBehind(_ marks: [LaneID: Int64]) -> Bool {
        guard let lane else { return false }
        return laneSequence == 0 || laneSequence > marks[lane] ?? 0
    }

    /// Another copy of the store has it too, and may have delivered it.
    package func doubted() -> Message {
        guard syncState == .error else { return self }
        var message = self
        message.isInDoubt = true
        return message
    }

    /// The chain before it changed.
    package func rebased(previous: Int64) -> Message {
        guard isPending, !isParked else { return self }
        var message = self
        message.previousSequence = previous
        return message
    }

    /// The server's word on a message that is here already: what it says, and where it is.
    ///
    /// A page that was read before the last change that this device knows of takes nothing back.
    package func merged(with placed: PlacedMessage, at time: Timestamp) -> Message {
        var message = delivered(placed.placement, at: time)
        var face = placed.face
        let known = base ?? self.face
        if let changedAt = known.changedAt, face.changedAt.map({ $0 < changedAt }) ?? true {
            face = known
        } else {
            face.clock = known.clock
            face.clock.page = face.changedAt
        }
        if message.base != nil { message.base = face } else { message.face = face }
        return message
    }

    /// The session is over: what was in the queue is `error`, in doubt when it had been transmitted, now or before a
    /// resend, or when another copy of the store has it, too. An operation that waits for its message goes on waiting.
    ///
    /// - Parameter sharedBelow: ``Lineage/sharedBelow``.
    package func sessionEnded(_ failure: Failure, sharedBelow: Int64) -> Message {
        guard isPending, !isWaitingOperation else { return self }
        return failed(failure, inDoubt: isInDoubt || previousSequence != nil || isShared(below: sharedBelow))
    }

    private func isShared(below limit: Int64) -> Bool { (isParked ? ordinal : laneSequence) < limit }

    /// The session is over: what had failed in it pauses no lane any more.
    package func unpaused() -> Message {
        guard let failure, failure.pausesLane else { return self }
        var message = self
        message.failure = failure.releasingLane
        return message
    }

    /// The process that was sending it is gone.
    package func resumed(at time: Timestamp) -> Message {
        isPending && syncState != .created ? become(.created, at: time) : self
    }

    /// A message as it enters the store; `laneSequence` is 0 when it has to wait for the one that it is about.
    package init(_ draft: MessageDraft, ordinal: Int64, laneSequence: Int64) {
        self.init(
            id: draft.id, channel: draft.channel, sender: draft.sender, role: draft.role,
            face: MessageFace(content: draft.content), createdAt: draft.createdAt, ordinal: ordinal, lane: draft.lane,
            laneSequence: laneSequence)
    }

    /// A message of somebody else, or of this account's other devices, as it enters the store.
    package init(_ placed: PlacedMessage, ordinal: Int64) {
        self.init(
            id: placed.id, channel: placed.channel, sender: placed.sender,
            role: placed.parent.map { .reply(to: $0) } ?? .message, face: placed.face,
            createdAt: placed.createdAt, ordinal: ordinal, lane: nil, laneSequence: 0, syncState: .synced,
            placement: placed.placement)
    }

    /// True for an operation whose message is not on the server yet.
    package var isWaitingOperation: Bool { isParked && role.isOperation }

    /// True while it is in the queue or on its way: undelivered, and not given up.
    package var isPending: Bool {
        switch syncState {
        case .created, .uploading, .syncing: true
        case .synced, .error: false
        }
    }

    /// The message as a link of its lane's chain; `nil` unless it is pending and has its place.
    package func entry(bytes: Int) -> OutboxEntry? {
        guard isPending, !isParked, let lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: laneSequence, previous: previousSequence, message: id,
            attempts: attempts, bytes: bytes, queuedAt: queuedAt)
    }

    /// What it pauses, as a snapshot tells it; `nil` unless it is `error` and its failure pauses its lane.
    package var pause: OutboxSnapshot.LanePause? {
        guard syncState == .error, let lane, let failure, failure.pausesLane else { return nil }
        return OutboxSnapshot.LanePause(lane: lane, message: id)
    }

    /// The link that asks the server about a message whose session ends in doubt; `nil` when no copy of it can be
    /// anywhere else.
    ///
    /// - Parameters:
    ///   - sharedBelow: ``Lineage/sharedBelow``.
    ///   - takeSequence: makes a number for one that has no place in its lane.
    package func fence(sharedBelow: Int64, _ takeSequence: () -> Int64) -> ControlEntry? {
        guard isPending, !isWaitingOperation, let lane, previousSequence != nil || isShared(below: sharedBelow) else {
            return nil
        }
        return ControlEntry(
            kind: .fence, lane: lane, sequence: isParked ? takeSequence() : laneSequence, previous: previousSequence,
            message: id)
    }

    private func become(_ state: SyncState, at time: Timestamp) -> Message {
        var message = self
        message.syncState = state
        return message.noted(at: time)
    }

    /// The state that it is in now becomes part of its story.
    private func noted(at time: Timestamp) -> Message {
        var message = self
        if message.history.count >= Limits.historyKeptMax { message.history.removeFirst() }
        message.history.append(StateChange(state: syncState, at: time))
        return message
    }
}
