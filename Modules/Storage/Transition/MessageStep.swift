package import CausewayModels

/// What can happen to the state of one message: each ``Mutation`` that concerns it, and what a run begins with.
///
/// Operations have states like messages, with two differences: one that was delivered is gone, and one that waits for
/// its message goes on waiting when the session ends.
package enum MessageStep: String, Sendable, Hashable, CaseIterable {
    /// ``Mutation/attempt(_:previous:attempts:at:)``
    case attempt
    /// ``Mutation/requeue(_:attempts:at:)``
    case requeue
    /// ``Mutation/deliver(_:_:at:)``
    case deliver
    /// ``Mutation/merge(_:at:)``
    case merge
    /// ``Mutation/fail(_:_:inDoubt:)``
    case fail
    /// ``Mutation/settle(_:)``
    case settle
    /// ``Mutation/resend(_:at:)``
    case resend
    /// ``Mutation/park(_:_:)`` where the message that it is about is here; where it is not, that is `fail`.
    case park
    /// ``Mutation/rewrite(_:_:)``
    case rewrite
    /// ``Mutation/rebase(sequence:previous:)``
    case rebase
    /// ``Mutation/forkOutbox(_:at:)``, for what is in the queue
    case fork
    /// ``Mutation/followHistory(_:_:marks:at:)``, for what the server has lost
    case lose
    /// ``Mutation/delete(_:)``
    case delete
    /// ``Mutation/endSession(_:)``, and ``Store/begin(_:)`` under `fail`.
    case endSession
    /// ``Store/begin(_:)`` under `resume`.
    case resume

    /// What the mutation is to the messages it concerns; `nil` when it concerns none.
    package init?(_ mutation: Mutation) {
        switch mutation {
        case .attempt: self = .attempt
        case .requeue: self = .requeue
        case .deliver: self = .deliver
        case .merge: self = .merge
        case .fail: self = .fail
        case .settle: self = .settle
        case .resend: self = .resend
        case .park: self = .park
        case .rewrite: self = .rewrite
        case .rebase: self = .rebase
        case .forkOutbox: self = .fork
        case .followHistory: self = .lose
        case .delete: self = .delete
        case .endSession: self = .endSession
        case .putControl, .appendDelete, .attemptControl, .removeControl, .setLastTransmitted, .raiseSequence,
            .recordDelete, .saveSession, .enqueue, .keepHistory:
            return nil
        }
    }
}

extension SyncState {
    /// The table of states: where each step leads from each state. From a state that does not name a step, the step
    /// leads nowhere: the message stays in its state. ``MessageStep/delete`` is in no row: it takes the message away
    /// from any state.
    ///
    /// The transitions in `Message+Transitions.swift` are what stores run; a test holds each of them to this table,
    /// and draws the table and the diagram in `ARCHITECTURE.md` from it.
    package static let transitions: [SyncState: [MessageStep: SyncState]] = [
        .created: [
            .attempt: .syncing, .deliver: .synced, .merge: .synced, .fail: .error, .endSession: .error,
        ],
        .uploading: [
            .attempt: .syncing, .requeue: .created, .deliver: .synced, .merge: .synced, .fail: .error,
            .resend: .created, .park: .created, .fork: .created, .lose: .created, .endSession: .error,
            .resume: .created,
        ],
        .syncing: [
            .requeue: .created, .deliver: .synced, .merge: .synced, .fail: .error, .resend: .created,
            .park: .created, .fork: .created, .lose: .created, .endSession: .error, .resume: .created,
        ],
        .synced: [.lose: .created],
        .error: [.deliver: .synced, .merge: .synced, .resend: .created],
    ]

    /// The state after a step; `nil` when the message is gone.
    package func after(_ step: MessageStep) -> SyncState? {
        step == .delete ? nil : Self.transitions[self]?[step] ?? self
    }
}
