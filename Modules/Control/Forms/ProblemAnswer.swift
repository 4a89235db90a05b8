/// What an answer that is no success says.
package struct ProblemAnswer: Sendable, Hashable, Codable {
    package let error: ProblemForm

    package init(_ error: ControlError) { self.error = ProblemForm(error) }
}
