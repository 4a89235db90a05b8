package import CausewayModels

/// A step in the state of one message: each ``Mutation`` that concerns it, and the steps at the start of a run.
///
/// Operations have states like messages, with two differences: a delivered operation is removed, and an operation that
/// waits for its target continues to wait when the session ends.
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
    /// ``Mutation/park(_:_:)`` if the message that it refers to exists here; otherwise that is `fail`.
    case park
    /// ``UploadStep/begin(attempts:)``
    case beginUpload
    /// ``UploadStep/open(session:)`` and ``UploadStep/progress``
    case noteUpload
    /// ``UploadStep/requeue(session:attempts:)``
    case requeueUpload
    /// ``UploadStep/complete(receipt:)``
    case completeUpload
    /// ``UploadStep/startAgain``
    case startUploadAgain
    /// ``Mutation/rewrite(_:_:)``
    case rewrite
    /// ``Mutation/rebase(sequence:previous:)``
    case rebase
    /// ``Mutation/forkOutbox(_:at:)``, for queued messages
    case fork
    /// ``Mutation/followHistory(_:_:marks:at:)``, for messages that the server has lost
    case lose
    /// ``Mutation/delete(_:)``
    case delete
    /// ``Mutation/endSession(_:)``, and ``Store/begin(_:)`` under `fail`.
    case endSession
    /// ``Store/begin(_:)`` under `resume`.
    case resume

    /// The step that the mutation is for the messages that it concerns; `nil` if it concerns none.
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
        case .upload(_, let step, at: _): self = MessageStep(step)
        case .rewrite: self = .rewrite
        case .rebase: self = .rebase
        case .forkOutbox: self = .fork
        case .followHistory: self = .lose
        case .delete: self = .delete
        case .endSession: self = .endSession
        case .putMarker, .appendDelete, .attemptMarker, .removeMarker, .setLastTransmitted, .recordDelete,
            .saveSession, .enqueue, .keepHistory, .mergeRecords, .removeRecord, .setEventCursor,
            .prune, .eraseAccount:
            return nil
        }
    }

    private init(_ step: UploadStep) {
        switch step {
        case .begin: self = .beginUpload
        case .open, .progress: self = .noteUpload
        case .requeue: self = .requeueUpload
        case .complete: self = .completeUpload
        case .startAgain: self = .startUploadAgain
        }
    }
}

extension SyncState {
    /// The state table: the target of each step from each state. A state without an entry for a step is not changed by
    /// it. ``MessageStep/delete`` has no entry: it removes the message from any state.
    ///
    /// The transitions in `Message+Transitions.swift` are the code that stores run; a test compares each of them with
    /// this table, and draws the table and the diagram in `ARCHITECTURE.md` from it.
    package static let transitions: [SyncState: [MessageStep: SyncState]] = [
        .created: [
            .attempt: .syncing, .beginUpload: .uploading, .deliver: .synced, .merge: .synced, .fail: .error,
            .endSession: .error,
        ],
        .uploading: [
            .attempt: .syncing, .requeue: .created, .deliver: .synced, .merge: .synced, .fail: .error,
            .resend: .created, .park: .created, .requeueUpload: .created, .completeUpload: .created,
            .startUploadAgain: .created, .fork: .created, .lose: .created, .endSession: .error, .resume: .created,
        ],
        .syncing: [
            .requeue: .created, .deliver: .synced, .merge: .synced, .fail: .error, .resend: .created,
            .park: .created, .startUploadAgain: .created, .fork: .created, .lose: .created, .endSession: .error,
            .resume: .created,
        ],
        .synced: [.lose: .created],
        .error: [.deliver: .synced, .merge: .synced, .resend: .created],
    ]

    /// The state after a step; `nil` if the message is removed.
    package func after(_ step: MessageStep) -> SyncState? {
        step == .delete ? nil : Self.transitions[self]?[step] ?? self
    }
}
