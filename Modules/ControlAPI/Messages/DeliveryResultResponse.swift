package import CausewayModels

/// The delivery state of a message.
package struct DeliveryResultResponse: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable { case delivered, failed, deleted, waiting }

    package let id: MessageID
    package let outcome: Outcome
    /// Set for `delivered`.
    package var position: Int64?
    package var acceptedAt: String?
    package var acceptedAtMs: Int64?
    /// Set for `failed`.
    package var failure: FailureDTO?
    /// Set for `waiting`.
    package var wait: WaitReasonDTO?
    package var waitText: String?

    package init(delivered id: MessageID, _ serverPosition: ServerPosition) {
        self.id = id
        outcome = .delivered
        position = serverPosition.position
        acceptedAt = serverPosition.acceptedAt.description
        acceptedAtMs = serverPosition.acceptedAt.milliseconds
    }

    package init(failed id: MessageID, _ failure: Failure) {
        self.id = id
        outcome = .failed
        self.failure = FailureDTO(failure)
    }

    package init(deleted id: MessageID) {
        self.id = id
        outcome = .deleted
    }

    package init(waiting id: MessageID, wait: WaitReasonDTO?, text: String?) {
        self.id = id
        outcome = .waiting
        self.wait = wait
        waitText = text
    }
}
