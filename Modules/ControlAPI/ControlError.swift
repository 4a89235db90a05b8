/// The reason why a request to the control service failed. Typed, and the same over the socket as in the process.
package struct ControlError: Error, Sendable, Hashable {
    /// The kind of error. The raw value is its name in JSON and never changes its meaning.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case usage, badRequest, tooLarge, messageInvalid, notFound, wrongState
        case forbidden, noSession, sessionExists, tokenRefused
        case notAuthor = "notYours"
        case unreachable, busy, refused, certificate, protocolMismatch, superseded
        case storeOwned, storeUnusable, storeNotAccessible, storeFull, storeFailed, outboxFull, stopping
        case daemonUnreachable
        case responseLost = "answerLost"
        case socketInUse, socketNotAccessible, credentials, configuration
        case outputClosed, outputFailed
        case internalError = "internal"
    }

    package let code: Code
    /// The failure, its cause, and the remedy. Contains no secret and no message text; may contain text from a server:
    /// escape it for a terminal or a page.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension ControlError: CustomStringConvertible {
    package var description: String { detail }
}

extension ControlError.Code {
    /// The HTTP status of the response over the socket.
    package var httpStatus: Int {
        switch self {
        case .usage, .badRequest: 400
        case .forbidden, .noSession, .notAuthor: 403
        case .notFound: 404
        case .sessionExists, .wrongState: 409
        case .tooLarge: 413
        case .messageInvalid: 422
        case .unreachable, .refused, .certificate, .protocolMismatch, .superseded, .tokenRefused: 502
        case .busy, .stopping, .daemonUnreachable, .responseLost: 503
        case .storeFull, .outboxFull: 507
        case .storeOwned, .storeUnusable, .storeNotAccessible, .storeFailed, .socketInUse, .socketNotAccessible,
            .credentials, .configuration, .outputClosed, .outputFailed, .internalError:
            500
        }
    }
}

/// The body of an error response.
package struct ErrorResponse: Sendable, Hashable, Codable {
    package let error: ProblemDTO

    package init(_ error: ControlError) { self.error = ProblemDTO(error) }
}

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
