/// The body of an error response.
package struct ProblemAnswer: Sendable, Hashable, Codable {
    package let error: ProblemForm

    package init(_ error: ControlError) { self.error = ProblemForm(error) }
}
