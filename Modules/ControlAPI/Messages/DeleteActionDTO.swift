package import CausewayModels

/// A past deletion, as JSON.
package struct DeleteActionDTO: Sendable, Hashable, Codable {
    /// A larger number is later; the cursor for `--before`.
    package let sequence: Int64
    package let at: String
    package let atMs: Int64
    /// `api`, `cli` or `statusPage`.
    package let by: String
    /// The kind of operation that was deleted: `edit`, `addReaction`, `removeReaction`; absent for a message.
    package let role: String?
    /// The id of the message, or of the operation.
    package let message: MessageID
    /// The message that the operation would have changed; absent for a message.
    package let related: MessageID?
    package let channel: ChannelID
    package let type: String
    /// The state of the message or the operation when it was deleted.
    package let state: String
    /// Its last error, if any.
    package let failure: FailureDTO?

    package init(_ action: DeleteAction) {
        sequence = action.sequence
        at = action.at.description
        atMs = action.at.milliseconds
        by = action.by.rawValue
        role = action.kind == .message ? nil : action.kind.rawValue
        message = action.message
        related = action.target
        channel = action.channel
        type = action.type.name
        state = action.syncState.rawValue
        failure = action.lastFailure.map(FailureDTO.init)
    }
}

/// A page of past deletions, newest first.
package struct DeleteActionListResponse: Sendable, Hashable, Codable {
    package let actions: [DeleteActionDTO]
    /// The cursor of the next page; absent on the last page.
    package let next: Int64?

    package init(_ actions: [DeleteActionDTO], next: Int64?) {
        self.actions = actions
        self.next = next
    }
}
