import CausewayModels
import CausewayWire

extension WireReport {
    /// The report in the client's words; `nil` when it cannot be the answer to these operations.
    ///
    /// It fits when there is one result for each operation, each of a kind that its operation can have; when nothing
    /// was attempted behind the first `tryLater` or `gap`, and everything before it was; and when the mark covers
    /// what was dealt with; and when every mark, position and moment is in range. A report that does not fit is
    /// believed in no part: it is no proof of anything.
    func report(on operations: [DeliveryOperation], words: ServerWords) -> DeliveryReport? {
        guard results.count == operations.count, (0..<Limits.sequenceMax).contains(mark) else { return nil }
        var outcomes: [DeliveryOutcome] = []
        outcomes.reserveCapacity(results.count)
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
                guard !isStopped, mark >= operation.sequence, outcome.answers(operation.body) else { return nil }
            }
            outcomes.append(outcome.cleaned(words))
        }
        return DeliveryReport(mark: mark, outcomes: outcomes, opening: opening)
    }
}

extension DeliveryOutcome {
    /// Whether an operation of this kind can end so.
    fileprivate func answers(_ body: DeliveryOperation.Body) -> Bool {
        switch (body, self) {
        case (.fence, .accepted(let placement)): placement.position >= 1
        case (.fence, .fenced), (.delete, .deleted): true
        case (.fence, .late), (.delete, .late), (.fence, .unrelated), (.delete, .unrelated): false
        case (.delete, .accepted): false
        case (_, .accepted(let placement)): placement.position >= 1
        case (_, .late), (_, .unrelated): true
        case (_, .refused), (_, .tryLater), (_, .notAttempted), (_, .gap): true
        default: false
        }
    }

    fileprivate func cleaned(_ words: ServerWords) -> DeliveryOutcome {
        switch self {
        case .refused(let code, let detail):
            .refused(code: words.code(code), detail: words.cleaned(detail))
        case .unrelated(let detail): .unrelated(detail: words.cleaned(detail))
        case .tryLater(let code, let detail, let after):
            .tryLater(
                code: words.code(code), detail: words.cleaned(detail), after: after.map(RetryAfter.bounded))
        default: self
        }
    }
}
