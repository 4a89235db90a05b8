/// An error as JSON. Sent over the socket in an object under `error`.
package struct ProblemDTO: Sendable, Hashable, Codable {
    /// See ``ControlError/Code``.
    package let code: String
    package let detail: String

    package init(_ error: ControlError) {
        code = error.code.rawValue
        detail = error.detail
    }

    /// Converts back to the error; a code that this version does not know becomes ``ControlError/Code/internalError``.
    package var error: ControlError { ControlError(ControlError.Code(rawValue: code) ?? .internalError, detail) }
}
