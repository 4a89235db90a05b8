package import CausewayModels

/// The effect of each ``Mutation`` on a message that goes beyond the state of its delivery: the rules shared by all
/// stores. See `Deliverable+Transitions` for the others.
extension Message {
    /// The server has the message, regardless of its state so far.
    package func delivered(_ serverPosition: ServerPosition, at time: Timestamp) -> Message {
        var message = changed { delivery in
            if delivery.syncState != .synced { delivery.become(.synced, at: time) }
            delivery.failure = nil
            delivery.isInDoubt = false
        }
        message.serverPosition = serverPosition
        return message
    }

    /// Replaces the content, while no copy of the message can exist elsewhere.
    package func rewritten(_ content: MessageContent) -> Message {
        guard isUndelivered else { return self }
        var message = self
        let former = sentContent.attachment
        if message.confirmed != nil {
            message.confirmed?.content = content
        } else {
            message.displayed.content = content
        }
        if content.attachment?.sha256 != former?.sha256 || content.attachment?.size != former?.size {
            message.upload = AttachmentUpload(of: content.attachment)
        }
        return message
    }

    /// The number by which messages of a lane are ordered by delivery: the lane sequence, or the ordinal if its lane
    /// did not deliver the message.
    package var place: Int64 { laneSequence == 0 ? ordinal : laneSequence }

    /// The server has lost the message: it is to be delivered again.
    ///
    /// - Parameter sequence: its new lane sequence; see ``LaneSequences``.
    package func lost(sequence: Int64, at time: Timestamp) -> Message {
        guard syncState == .synced, lane != nil else { return self }
        var message = changed { delivery in
            delivery.become(.created, at: time)
            delivery.requeue(sequence: sequence, at: time)
        }
        message.upload = AttachmentUpload(of: sentContent.attachment)
        message.serverPosition = nil
        return message
    }

    /// The server's data have another history: the server's next version of the message replaces the known one,
    /// whatever its time. Also of a message that is queued: the former history may have had it, or an edit of it.
    package func inOtherHistory() -> Message {
        var message = self
        message.confirmed?.changedAt = nil
        message.confirmed?.clock = VersionClock()
        message.displayed.changedAt = nil
        message.displayed.clock = VersionClock()
        return message
    }

    /// The server has the message, and its lane did not bring it there: it failed here, or another copy of this store
    /// has it, too. Its lane's mark proves nothing about it: the lane may have passed its sequence without storing it.
    package func deliveredElsewhere() -> Message {
        guard syncState == .synced, lane != nil else { return self }
        return changed { $0.laneSequence = 0 }
    }

    /// True for a message that was delivered from here, and that its lane's mark does not prove to be on the server.
    package func isBehind(_ marks: [LaneID: Int64]) -> Bool {
        guard let lane else { return false }
        return laneSequence == 0 || laneSequence > marks[lane] ?? 0
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

    /// Creates a message of another user, or of another device of this account, as it enters the store.
    package init(_ placed: RemoteMessage, ordinal: Int64) {
        self.init(
            id: placed.id, channel: placed.channel, sender: placed.sender,
            parent: placed.parent, displayed: placed.body, createdAt: placed.createdAt, ordinal: ordinal,
            lane: nil, laneSequence: 0, syncState: .synced,
            serverPosition: placed.serverPosition)
    }
}
