package import Causeway

/// What came of a ``ControlService/send(_:)``.
package struct SendReport: Sendable, Hashable, Codable {
    /// The messages that were taken, in their order; each is durable.
    package var ids: [MessageID]
    /// What stopped it before the end; absent when all were taken.
    package var problem: ProblemForm?

    package init(ids: [MessageID], problem: ProblemForm? = nil) {
        self.ids = ids
        self.problem = problem
    }
}
