/// The body of an error response.
package struct ErrorResponse: Sendable, Hashable, Codable {
    package let error: ProblemDTO

    package init(_ error: ControlError) { self.error = ProblemDTO(error) }
}
