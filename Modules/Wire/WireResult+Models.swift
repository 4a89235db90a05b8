package import CausewayModels

extension WireResult {
    package init(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted(let serverPosition):
            self.init(kind: .accepted, position: serverPosition.position, acceptedAt: serverPosition.acceptedAt)
        case .fenced: self.init(kind: .fenced)
        case .deleted: self.init(kind: .deleted)
        case .refused(let code, let detail): self.init(kind: .refused, code: code, detail: detail)
        case .unrelated(let detail): self.init(kind: .unrelated, detail: detail)
        case .tryLater(let code, let detail, let after):
            self.init(kind: .tryLater, code: code, detail: detail, retryAfterMilliseconds: after?.wholeMilliseconds)
        case .notAttempted: self.init(kind: .notAttempted)
        case .gap(let mark): self.init(kind: .gap, mark: mark)
        case .late(let mark): self.init(kind: .late, mark: mark)
        }
    }

    /// The outcome; `nil` if a field that the kind requires is missing or out of range.
    package var outcome: DeliveryOutcome? {
        switch kind {
        case .accepted:
            guard let position, (1...Limits.positionMax).contains(position), let acceptedAt else { return nil }
            return .accepted(ServerPosition(position: position, acceptedAt: acceptedAt))
        case .fenced: return .fenced
        case .deleted: return .deleted
        case .refused: return .refused(code: code ?? "", detail: detail ?? "")
        case .unrelated: return .unrelated(detail: detail ?? "")
        case .tryLater:
            return .tryLater(
                code: code ?? "", detail: detail ?? "", after: retryAfterMilliseconds.map { .milliseconds($0) })
        case .notAttempted: return .notAttempted
        case .gap:
            guard let mark, (0...Limits.sequenceMax).contains(mark) else { return nil }
            return .gap(mark: mark)
        case .late:
            guard let mark, (0...Limits.sequenceMax).contains(mark) else { return nil }
            return .late(mark: mark)
        }
    }
}
