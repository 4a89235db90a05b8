package import CausewayModels

/// What each ``Mutation`` does to the one message it names: the rules that all stores share.
///
/// Each step returns the message as it stands afterwards, unchanged where the step does not apply. `synced` is
/// final: nothing but a newer word of the server touches it.
extension Message {
    /// An attempt begins. Applies to what is in the queue: not to `error`, which a resend must put back first.
    package func attempted(previous: Int64, attempts: Int, at time: Timestamp) -> Message {
        guard isPending else { return self }
        var message = self
        message.syncState = .syncing
        message.previousSequence = previous
        message.attempts = attempts
        message.lastAttemptAt = time
        return message
    }

    /// The attempt ended without a verdict; what an earlier failure said is out of date.
    package func requeued(attempts: Int) -> Message {
        guard isPending else { return self }
        var message = self
        message.syncState = .created
        message.attempts = attempts
        message.failure = nil
        return message
    }

    /// The server has it, whatever was thought before.
    package func delivered(_ placement: Placement) -> Message {
        var message = self
        message.syncState = .synced
        message.placement = placement
        message.failure = nil
        message.isInDoubt = false
        return message
    }

    /// Given up.
    package func failed(_ failure: Failure, inDoubt: Bool) -> Message {
        guard isUndelivered else { return self }
        var message = self
        message.syncState = .error
        message.failure = failure
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

    /// Back into the queue at `sequence`; whatever is still to be asked about its old place is a control entry's.
    package func resent(sequence: Int64) -> Message {
        guard isUndelivered else { return self }
        var message = self
        message.syncState = .created
        message.laneSequence = sequence
        message.previousSequence = nil
        message.attempts = 0
        return message
    }

    /// The chain before it changed.
    package func rebased(previous: Int64) -> Message {
        guard isPending else { return self }
        var message = self
        message.previousSequence = previous
        return message
    }

    /// The server's word on a message that is here already: what it says, and where it is.
    package func merged(with placed: PlacedMessage) -> Message {
        var message = delivered(placed.placement)
        message.content = placed.content
        return message
    }

    /// The session is over: what was in the queue is `error`, in doubt when it had been transmitted, now or before a
    /// resend.
    package func sessionEnded(_ failure: Failure) -> Message {
        isPending ? failed(failure, inDoubt: isInDoubt || previousSequence != nil) : self
    }

    /// The session is over: what had failed in it pauses no lane any more.
    package func released() -> Message {
        guard let failure, failure.pausesLane else { return self }
        var message = self
        message.failure = failure.releasingLane
        return message
    }

    /// The process that was sending it is gone.
    package func resumed() -> Message {
        guard isPending else { return self }
        var message = self
        message.syncState = .created
        return message
    }

    /// The account it was sent by is gone, and with it the chain of its lane.
    package func forgotten() -> Message {
        guard isUndelivered else { return self }
        var message = self
        message.isInDoubt = false
        message.previousSequence = nil
        return message
    }

    /// A message as it enters the store.
    package init(_ draft: MessageDraft, sequence: Int64) {
        self.init(
            id: draft.id, channel: draft.channel, sender: draft.sender, content: draft.content,
            createdAt: draft.createdAt, ordinal: sequence, lane: draft.lane, laneSequence: sequence)
    }

    /// A message of somebody else, or of this account's other devices, as it enters the store.
    package init(_ placed: PlacedMessage, ordinal: Int64) {
        self.init(
            id: placed.id, channel: placed.channel, sender: placed.sender, content: placed.content,
            createdAt: placed.createdAt, ordinal: ordinal, lane: nil, laneSequence: 0, syncState: .synced,
            placement: placed.placement)
    }

    /// True while it is in the queue or on its way: undelivered, and not given up.
    package var isPending: Bool {
        switch syncState {
        case .created, .uploading, .syncing: true
        case .synced, .error: false
        }
    }

    /// The message as a link of its lane's chain; `nil` unless it is pending.
    package func entry(bytes: Int) -> OutboxEntry? {
        guard isPending, let lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: laneSequence, previous: previousSequence, message: id,
            attempts: attempts, bytes: bytes)
    }

    /// What it pauses, as a snapshot tells it; `nil` unless it is `error` and its failure pauses its lane.
    package var pause: OutboxSnapshot.LanePause? {
        guard syncState == .error, let lane, let failure, failure.pausesLane else { return nil }
        return OutboxSnapshot.LanePause(lane: lane, message: id)
    }

    /// The link that asks the server about a message whose session ended in doubt; `nil` when it was never transmitted.
    package var fence: ControlEntry? {
        guard isPending, let lane, let previousSequence else { return nil }
        return ControlEntry(
            kind: .fence, lane: lane, sequence: laneSequence, previous: previousSequence, message: id)
    }
}
