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

/// An error as JSON. Over the socket it stands in an object under `error`.
package struct ProblemForm: Sendable, Hashable, Codable {
    /// See ``ControlError/Code``.
    package let code: String
    package let detail: String

    package init(_ error: ControlError) {
        code = error.code.rawValue
        detail = error.detail
    }

    /// The error again; a word that this version does not know becomes ``ControlError/Code/internalError``.
    package var error: ControlError { ControlError(ControlError.Code(rawValue: code) ?? .internalError, detail) }
}

/// What an answer that is no success says.
package struct ProblemAnswer: Sendable, Hashable, Codable {
    package let error: ProblemForm

    package init(_ error: ControlError) { self.error = ProblemForm(error) }
}

/// What a resend or a deletion changed.
package struct ChangeReport: Sendable, Hashable, Codable {
    package let count: Int
    /// Which; absent where all of a kind were meant.
    package let ids: [MessageID]?

    package init(count: Int) {
        self.count = count
        ids = nil
    }

    package init(ids: [MessageID]) {
        count = ids.count
        self.ids = ids
    }
}

/// What a logout left behind.
package struct LogoutReport: Sendable, Hashable, Codable {
    /// Messages that had not been delivered; they are failed now (session ended).
    package let unsent: Int

    package init(unsent: Int) { self.unsent = unsent }
}

/// How the delivery of a message stands.
package struct ResultForm: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable { case delivered, failed, deleted, waiting }

    package let id: MessageID
    package let outcome: Outcome
    /// For `delivered`.
    package var position: Int64?
    package var acceptedAt: String?
    package var acceptedAtMs: Int64?
    /// For `failed`.
    package var failure: FailureForm?
    /// For `waiting`.
    package var wait: WaitForm?
    package var waitText: String?

    package init(delivered id: MessageID, _ placement: Placement) {
        self.id = id
        outcome = .delivered
        position = placement.position
        acceptedAt = placement.acceptedAt.description
        acceptedAtMs = placement.acceptedAt.milliseconds
    }

    package init(failed id: MessageID, _ failure: Failure) {
        self.id = id
        outcome = .failed
        self.failure = FailureForm(failure)
    }

    package init(deleted id: MessageID) {
        self.id = id
        outcome = .deleted
    }

    package init(waiting id: MessageID, wait: WaitForm?, text: String?) {
        self.id = id
        outcome = .waiting
        self.wait = wait
        waitText = text
    }
}
