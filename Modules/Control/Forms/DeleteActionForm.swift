package import Causeway

/// A past deletion, as JSON.
package struct DeleteActionForm: Sendable, Hashable, Codable {
    /// Larger means later; `--before` takes it.
    package let sequence: Int64
    package let at: String
    package let atMs: Int64
    /// `api`, `cli` or `statusPage`.
    package let by: String
    package let message: MessageID
    package let channel: ChannelID
    package let type: String
    /// How far the message had come.
    package let state: String
    /// Its last error, when it had one.
    package let failure: FailureForm?

    package init(_ action: DeleteAction) {
        sequence = action.sequence
        at = action.at.description
        atMs = action.at.milliseconds
        by = action.by.rawValue
        message = action.message
        channel = action.channel
        type = action.type.name
        state = action.syncState.rawValue
        failure = action.lastFailure.map(FailureForm.init)
    }
}

/// A page of past deletions, newest first.
package struct DeleteActionListForm: Sendable, Hashable, Codable {
    package let actions: [DeleteActionForm]
    /// Where the next page begins; absent when this was the last.
    package let next: Int64?

    package init(_ actions: [DeleteActionForm], next: Int64?) {
        self.actions = actions
        self.next = next
    }
}
