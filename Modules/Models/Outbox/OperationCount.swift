/// A number of operations: messages, and changes of messages (edits and reactions).
package struct OperationCount: Sendable, Hashable {
    /// Messages that were to be created.
    package var messages: Int
    /// Edits and reactions.
    package var changes: Int

    package init(messages: Int = 0, changes: Int = 0) {
        self.messages = messages
        self.changes = changes
    }

    /// The number of all these operations.
    package init(of operations: some Sequence<some Deliverable>) {
        self.init()
        for operation in operations {
            if operation.createsMessage { messages += 1 } else { changes += 1 }
        }
    }

    package var total: Int { messages + changes }

    package static func += (left: inout OperationCount, right: OperationCount) {
        left.messages += right.messages
        left.changes += right.changes
    }
}
