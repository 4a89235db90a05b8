import CausewayModels

extension OutboxLane {
    /// One link of a lane's chain: a message to be sent, or a question about one.
    struct Slot: Sendable, Hashable {
        let message: MessageID
        let sequence: Int64
        /// See ``OutboxEntry/ordinal``.
        let ordinal: Int64
        private(set) var state: State
        /// See ``OutboxEntry/isOperation``; kept when the slot becomes a fence.
        let isOperation: Bool
        /// Counted attempts to send the message.
        var attempts: Int
        /// The size of the message's coded content.
        var bytes: Int
        /// The time when it entered the queue: by the wall clock for entries of the snapshot, otherwise by one that
        /// ignores later changes of the wall clock.
        var queuedAt: Timestamp
        /// The upload of the message's attachment; the state of a pending one is in ``UploadQueue``.
        var upload: AttachmentUpload?

        init(_ entry: OutboxEntry) {
            message = entry.message
            sequence = entry.sequence
            ordinal = entry.ordinal
            state = State(entry)
            isOperation = entry.isOperation
            attempts = entry.attempts
            bytes = entry.bytes
            queuedAt = entry.queuedAt
            upload = entry.upload
        }
    }
}

extension OutboxLane.Slot {
    /// The state of a link, from its place in the queue to the server's verdict on it.
    ///
    /// ```
    ///              attempt               no response
    ///   waiting ─────────────▶ transmitted ─────────▶ inDoubt
    ///     │   │                     │                    │
    ///     │   │   given up, or confirmed in another way  │
    ///     │   ├──────────────▶ fence ◀───────────────────┤        delete
    ///     │   │                  │ deleted               │ deleted
    ///     ▼   ▼                  ▼                       │
    ///   removed               retract ◀──────────────────┘
    /// ```
    ///
    /// A waiting message that is deleted or confirmed is removed; one that is given up becomes a fence if a copy of
    /// the store may have sent it. A transmitted link names the sequence that was transmitted before it (`after`) in
    /// all its attempts, and leaves the chain only with a verdict of the server. A link in flight is not a state of its
    /// own: the batches under way cover the first ``OutboxLane/inFlightCount`` slots of the lane.
    enum State: Sendable, Hashable {
        /// A message that was never transmitted under its sequence: its removal leaves no gap. Reached from the feed,
        /// or from the snapshot.
        case waiting
        /// A message that was transmitted; each attempt that has ended had a response. Reached by its first attempt.
        case transmitted(after: Int64)
        /// A message that the server may have: an attempt ended without a response, in this run of the process or in an
        /// earlier one.
        case inDoubt(after: Int64)
        /// A question about a message that was given up or confirmed in another way: the server responds with its
        /// position, or never accepts it under this sequence. `nil` until its sequence is transmitted for the first
        /// time.
        case fence(after: Int64?)
        /// A fence whose message was deleted here: if the server has it, a deletion follows.
        case retract(after: Int64?)
        /// A request to delete a message from the server.
        case delete(after: Int64?)
        /// A message that was deleted, confirmed or renumbered before it was ever transmitted. It is skipped, and
        /// dropped when it reaches the front.
        case removed
    }

    /// The kind of request that the link makes; `nil` for one that was removed.
    var kind: OutboxEntry.Kind? {
        switch state {
        case .waiting, .transmitted, .inDoubt: .send
        case .fence: .fence
        case .retract: .retract
        case .delete: .delete
        case .removed: nil
        }
    }

    /// The sequence that was transmitted before this one; `nil` if it was never transmitted.
    var previous: Int64? {
        switch state {
        case .waiting, .removed: nil
        case .transmitted(let after), .inDoubt(let after): after
        case .fence(let after), .retract(let after), .delete(let after): after
        }
    }

    /// True for a message that waits or is being sent.
    var isMessage: Bool {
        switch state {
        case .waiting, .transmitted, .inDoubt: true
        case .fence, .retract, .delete, .removed: false
        }
    }

    var wasTransmitted: Bool { previous != nil }

    var isRemoved: Bool { state == .removed }

    /// True for a message whose last attempts ended without a response.
    var isInDoubt: Bool {
        if case .inDoubt = state { true } else { false }
    }

    // MARK: - Transitions

    /// The link is transmitted after `previous`: for the first time, or from another mark of the server.
    mutating func transmit(after previous: Int64) {
        switch state {
        case .waiting, .transmitted: state = .transmitted(after: previous)
        case .inDoubt: state = .inDoubt(after: previous)
        case .fence: state = .fence(after: previous)
        case .retract: state = .retract(after: previous)
        case .delete: state = .delete(after: previous)
        case .removed: break
        }
    }

    /// An attempt ended without a response.
    mutating func markInDoubt() {
        if case .transmitted(let after) = state { state = .inDoubt(after: after) }
    }

    /// This run of the process knows that every attempt had a response, which the store does not record.
    mutating func clearDoubt() {
        if case .inDoubt(let after) = state { state = .transmitted(after: after) }
    }

    /// The message was given up or confirmed: its sequence remains in the chain.
    mutating func becomeFence() { state = .fence(after: previous) }

    /// The message was deleted: its sequence remains in the chain.
    mutating func becomeRetract() { state = .retract(after: previous) }

    /// The message is no longer to be sent; it was never transmitted.
    mutating func remove() { state = .removed }
}

extension OutboxLane.Slot.State {
    fileprivate init(_ entry: OutboxEntry) {
        switch entry.kind {
        // Another run of the process transmitted it, with an unknown result.
        case .send: self = entry.previous.map { .inDoubt(after: $0) } ?? .waiting
        case .fence: self = .fence(after: entry.previous)
        case .retract: self = .retract(after: entry.previous)
        case .delete: self = .delete(after: entry.previous)
        }
    }
}
