package import Causeway

/// The result of ``ControlService/send(_:)``.
package struct SendReport: Sendable, Hashable, Codable {
    /// The accepted messages in their order; each is durable.
    package var ids: [MessageID]
    /// The error that ended the call early; absent when all messages were accepted.
    package var problem: ProblemDTO?

    package init(ids: [MessageID], problem: ProblemDTO? = nil) {
        self.ids = ids
        self.problem = problem
    }
}
