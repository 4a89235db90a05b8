import CausewayModels
import CausewayWire

extension WireReport {
    /// Converts the report to the client's model; `nil` if it cannot be the response to these operations.
    ///
    /// A valid report has one result for each operation, each of a kind that its operation can have; nothing was
    /// attempted after the first `tryLater` or `gap`, and everything before it was; the mark covers the processed
    /// operations; and every mark, position and time is in range. No part of an invalid report is trusted: it confirms
    /// nothing.
    func report(on operations: [DeliveryOperation], sanitizer: ServerTextSanitizer) -> DeliveryReport? {
        guard results.count == operations.count, (0..<Limits.sequenceMax).contains(mark) else { return nil }
        var outcomes: [DeliveryOutcome] = []
        outcomes.reserveCapacity(results.count)
        var deleted: Set<MessageID> = []
        var isStopped = false
        for (operation, result) in zip(operations, results) {
            guard let outcome = result.outcome, outcome.isInRange else { return nil }
            switch outcome {
            case .notAttempted:
                guard isStopped else { return nil }
            case .tryLater, .gap:
                guard !isStopped else { return nil }
                isStopped = true
            case .accepted, .fenced, .deleted, .refused, .unrelated, .late:
                guard !isStopped, mark >= operation.sequence, outcome.matches(operation.body) else { return nil }
            }
            if result.isDeleted == true, case .accepted = outcome, let message = operation.body.createdMessage {
                deleted.insert(message)
            }
            outcomes.append(outcome.cleaned(sanitizer))
        }
        var report = DeliveryReport(mark: mark, outcomes: outcomes, opening: opening)
        report.deletedSince = deleted
        return report
    }
}

extension DeliveryOperation.Body {
    /// The message that is on the server if the operation is accepted; `nil` if it creates none.
    fileprivate var createdMessage: MessageID? {
        switch self {
        case .send(let id, channel: _, content: _, createdAt: _, parent: _, tags: _), .fence(let id): id
        case .edit, .addReaction, .removeReaction, .write, .delete: nil
        }
    }
}

extension DeliveryOutcome {
    /// Whether this can be the result of an operation of this kind.
    fileprivate func matches(_ body: DeliveryOperation.Body) -> Bool {
        switch (body, self) {
        case (.fence, .accepted(let serverPosition)): serverPosition.position >= 1
        case (.fence, .fenced), (.delete, .deleted): true
        case (.fence, .late), (.delete, .late), (.fence, .unrelated), (.delete, .unrelated): false
        case (.delete, .accepted): false
        case (_, .accepted(let serverPosition)): serverPosition.position >= 1
        case (_, .late), (_, .unrelated): true
        case (_, .refused), (_, .tryLater), (_, .notAttempted), (_, .gap): true
        default: false
        }
    }

    fileprivate func cleaned(_ sanitizer: ServerTextSanitizer) -> DeliveryOutcome {
        switch self {
        case .refused(let code, let detail):
            .refused(code: sanitizer.code(code), detail: sanitizer.cleaned(detail))
        case .unrelated(let detail): .unrelated(detail: sanitizer.cleaned(detail))
        case .tryLater(let code, let detail, let after):
            .tryLater(
                code: sanitizer.code(code), detail: sanitizer.cleaned(detail), after: after.map(RetryAfter.bounded))
        default: self
        }
    }
}
