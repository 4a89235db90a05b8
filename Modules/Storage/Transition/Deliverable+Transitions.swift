public import CausewayModels

/// The effect of each ``Mutation`` on the item that it names: the rules shared by all stores, for messages and
/// operations alike.
///
/// Each step returns the new state of the item, unchanged if the step does not apply. `synced` is final: only newer
/// data from the server changes it.
extension Deliverable {
    /// An attempt begins. Applies to queued items: not to `error`, which must be resent first. For an item that is
    /// `syncing` it corrects the attempt under way, which the history contains already.
    package func attempted(previous: Int64, attempts: Int, at time: Timestamp) -> Self {
        guard isPending, !isParked else { return self }
        return changed { delivery in
            let isUnderWay = delivery.syncState == .syncing
            delivery.syncState = .syncing
            delivery.previousSequence = previous
            delivery.attempts = attempts
            delivery.lastAttemptAt = time
            if !isUnderWay { delivery.note(at: time) }
        }
    }

    /// The attempt ended without a verdict; an earlier failure is out of date.
    package func requeued(attempts: Int, at time: Timestamp) -> Self {
        guard isPending, !isParked else { return self }
        return changed { delivery in
            delivery.attempts = attempts
            delivery.failure = nil
            delivery.become(.created, at: time)
        }
    }

    /// It failed. Only its target depends on an item that creates no message, so such an item pauses no lane. An
    /// attachment that the server does not have is uploaded again after a resend.
    package func failed(_ failure: Failure, inDoubt: Bool) -> Self {
        guard isUndelivered else { return self }
        return changed { delivery in
            delivery.become(.error, at: failure.at)
            delivery.failure = createsMessage ? failure : failure.releasingLane
            delivery.isInDoubt = inDoubt
            if failure.code == Failure.attachmentUnknownCode { delivery.forgetUpload() }
        }
    }

    /// The server has no copy of the transmitted item, and will accept none.
    package func settled() -> Self {
        guard isInDoubt else { return self }
        return changed { $0.isInDoubt = false }
    }

    /// Returns it to the queue at `sequence`, which is 0 if it has to wait for the message that it refers to. Any open
    /// question about its old sequence belongs to a control entry.
    package func resent(sequence: Int64, at time: Timestamp) -> Self {
        guard isUndelivered else { return self }
        return changed { delivery in
            delivery.become(.created, at: time)
            delivery.requeue(sequence: sequence, at: time)
        }
    }

    /// A step in the upload of its attachment other than ``UploadStep/startAgain``.
    package func uploaded(_ step: UploadStep, at time: Timestamp) -> Self {
        guard isPending, !isParked, let upload = delivery.upload else { return self }
        return changed { delivery in delivery.note(step, of: upload, at: time) }
    }

    /// The server no longer has the file that was complete; `nil` if it needs none, or waits for no upload.
    package func withUploadLost() -> Self? {
        guard isPending, !isParked, let upload = delivery.upload else { return nil }
        return changed { $0.upload = AttachmentUpload(total: upload.total, isRepeated: true) }
    }

    /// The message that it waited for is on the server, or no longer exists: it gets its lane sequence.
    ///
    /// - Parameter time: the time from which its age in the queue counts, because waiting for another message does not
    ///   age it; `nil` keeps the age.
    package func released(sequence: Int64, at time: Timestamp?) -> Self {
        guard isParked else { return self }
        return changed { delivery in
            delivery.laneSequence = sequence
            if let time { delivery.queuedAt = time }
        }
    }

    /// The server does not have the message that it refers to: it waits for that one.
    package func parked(at time: Timestamp) -> Self {
        guard isPending else { return self }
        return resent(sequence: 0, at: time)
    }

    /// The outbox continues under another id, in which the item has this sequence and was never transmitted.
    package func forked(sequence: Int64, at time: Timestamp) -> Self {
        guard isPending, !isParked else { return self }
        return changed { delivery in
            if delivery.syncState != .created { delivery.become(.created, at: time) }
            delivery.laneSequence = sequence
            delivery.previousSequence = nil
            delivery.forgetUpload()
        }
    }

    /// Another copy of the store has the item too, and may have delivered it.
    package func inDoubt() -> Self {
        guard syncState == .error else { return self }
        return changed { delivery in
            delivery.isInDoubt = true
            delivery.forgetUpload()
        }
    }

    /// The preceding link of the chain changed.
    package func rebased(previous: Int64) -> Self {
        guard isPending, !isParked else { return self }
        return changed { $0.previousSequence = previous }
    }

    /// The session ended: a queued item becomes `error`, in doubt if it had been transmitted, now or before a resend,
    /// or if another copy of the store has it, too. An operation that waits for its target continues to wait.
    ///
    /// - Parameter sharedBelow: ``Lineage/sharedBelow``.
    package func sessionEnded(_ failure: Failure, sharedBelow: Int64) -> Self {
        guard isPending, !isWaitingOperation else { return self }
        return failed(failure, inDoubt: isInDoubt || previousSequence != nil || ordinal < sharedBelow)
    }

    /// The session ended: a failure of that session no longer pauses its lane.
    package func unpaused() -> Self {
        guard let failure, failure.pausesLane else { return self }
        return changed { $0.failure = failure.releasingLane }
    }

    /// The process that was sending it has ended.
    package func resumed(at time: Timestamp) -> Self {
        isPending && syncState != .created ? changed { $0.become(.created, at: time) } : self
    }

    /// True for an operation whose target is not on the server yet.
    package var isWaitingOperation: Bool { isParked && !createsMessage }

    /// The message that has to be updated when this item changes, or that it waits for; see
    /// ``Store/dependants(of:)``.
    public var dependence: MessageID? { !createsMessage || isParked ? related : nil }

    /// The item as a link of its lane's chain; `nil` unless it is pending and has a lane sequence.
    public func entry(bytes: Int) -> OutboxEntry? {
        // Read once: each of its properties would copy it.
        let delivery = delivery
        guard delivery.isPending, let lane = delivery.lane else { return nil }
        if delivery.syncState == .created, delivery.laneSequence == 0 { return nil }  // parked
        return OutboxEntry(
            kind: .send, lane: lane, sequence: delivery.laneSequence, ordinal: ordinal,
            previous: delivery.previousSequence, message: id, attempts: delivery.attempts, bytes: bytes,
            queuedAt: delivery.queuedAt, isOperation: !createsMessage, upload: delivery.upload)
    }

    /// The pause that it causes, for a snapshot; `nil` unless it is `error` and its failure pauses its lane.
    public var pause: OutboxSnapshot.LanePause? {
        guard syncState == .error, let lane, let failure, failure.pausesLane else { return nil }
        return OutboxSnapshot.LanePause(lane: lane, message: id)
    }

    /// The fence for an item whose session ends in doubt; `nil` if no copy of it can exist elsewhere.
    ///
    /// - Parameters:
    ///   - sharedBelow: ``Lineage/sharedBelow``.
    ///   - takeSequence: assigns a number to an item without a lane sequence.
    package func fence(sharedBelow: Int64, _ takeSequence: () -> Int64) -> ChainMarker? {
        guard isPending, !isWaitingOperation, let lane, previousSequence != nil || ordinal < sharedBelow else {
            return nil
        }
        return ChainMarker(
            kind: .fence, lane: lane, sequence: isParked ? takeSequence() : laneSequence, previous: previousSequence,
            message: id)
    }

    /// A copy with another state of its delivery: one copy for all changes of a step.
    func changed(_ change: (inout DeliveryProgress) -> Void) -> Self {
        var item = self
        change(&item.delivery)
        return item
    }
}

extension DeliveryProgress {
    fileprivate var isPending: Bool {
        switch syncState {
        case .created, .uploading, .syncing: true
        case .synced, .error: false
        }
    }

    mutating func become(_ state: SyncState, at time: Timestamp) {
        syncState = state
        note(at: time)
    }

    /// At the tail of its lane: never transmitted, without attempts.
    mutating func requeue(sequence: Int64, at time: Timestamp) {
        laneSequence = sequence
        queuedAt = time
        previousSequence = nil
        attempts = 0
        if let upload, case .pending(let session, _) = upload.state {
            self.upload?.state = .pending(session: session, attempts: 0)
        }
    }

    /// The server that it is for does not have the attachment, or nobody knows.
    mutating func forgetUpload() {
        if let upload { self.upload = AttachmentUpload(total: upload.total) }
    }

    /// Applies a step other than ``UploadStep/startAgain``.
    fileprivate mutating func note(_ step: UploadStep, of upload: AttachmentUpload, at time: Timestamp) {
        switch (step, upload.state) {
        case (.begin(let attempts), .pending(let session, _)):
            self.upload?.state = .pending(session: session, attempts: attempts)
            if syncState == .created { become(.uploading, at: time) }
        case (.open(let session), .pending(_, let attempts)):
            self.upload?.state = .pending(session: session, attempts: attempts)
        case (.progress, .pending(let session, _)):
            self.upload?.state = .pending(session: session, attempts: 0)
        case (.requeue(let session, let attempts), .pending):
            self.upload?.state = .pending(session: session, attempts: attempts)
            if syncState == .uploading {
                failure = nil
                become(.created, at: time)
            }
        case (.complete(let receipt), .pending):
            self.upload?.state = .complete(receipt: receipt)
            if syncState == .uploading { become(.created, at: time) }
        case (.begin, .complete), (.open, .complete), (.progress, .complete), (.requeue, .complete),
            (.complete, .complete), (.startAgain, _):
            break
        }
    }

    /// Records the current state in the history.
    mutating func note(at time: Timestamp) {
        if history.count >= Limits.historyKeptMax { history.removeFirst() }
        history.append(StateChange(state: syncState, at: time))
    }
}
