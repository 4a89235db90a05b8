package import CausewayModels

/// The hub's decisions about one lane, free of I/O: the treatment of an operation, given the hub's stored state.
///
/// The hub keeps for each lane of each (account, outbox) a *mark*: the sequence of the last operation that was applied,
/// refused or fenced. It is kept for ever. ``LineageRules`` decide beforehand whether a delivery is admitted at all.
/// The hub remembers what it accepted (the message and its placement, including deleted ones), never what it refused.
///
/// | the operation | the hub |
/// | --- | --- |
/// | sequence ≤ mark, id known | responds with the stored result; changes nothing |
/// | sequence ≤ mark, a fence, id unknown | `fenced`: the mark itself bars every late copy |
/// | sequence ≤ mark, a deletion | deletes (idempotent) |
/// | sequence ≤ mark, a send, id unknown | the reason when it would be refused now too, else `late` |
/// | previous ≠ mark | `gap`; nothing after it is attempted |
/// | previous = mark, id known | responds with the stored result; the mark moves |
/// | previous = mark, refers to a message that is not stored | `unrelated`; the mark moves |
/// | previous = mark, otherwise | applied, refused or fenced; the mark moves |
/// | previous = mark, and it cannot be done now | `tryLater`; the mark stays; nothing after it is attempted |
package struct LaneRules: Sendable, Equatable {
    /// The hub's record of the operation's message.
    package enum Known: Sendable, Equatable {
        case no
        case accepted(ServerPosition)
    }

    /// Whether the hub can apply a send now.
    package enum Verdict: Sendable, Equatable {
        case fine
        case refuse(code: String, detail: String)
        /// The message that it refers to is not stored.
        case unrelated(detail: String)
        case tryLater(code: String, detail: String, after: Duration?)
    }

    /// `send` is every operation that is stored under an id of its own: messages, edits, reactions.
    package enum Kind: Sendable, Equatable { case send, fence, delete }

    /// The next step of the hub.
    package enum Decision: Sendable, Equatable {
        /// Respond; only the mark is stored.
        case respond(DeliveryOutcome)
        /// Store the message at the next position of its channel, or apply the operation, and respond `accepted` with
        /// the position.
        case apply
        /// Delete the message if it is stored and this account may delete it, and respond `deleted` or `refused`.
        case delete
    }

    /// The sequence of the last operation that was applied, refused or fenced.
    package private(set) var mark: Int64
    /// True after an outcome that stops the delivery.
    package private(set) var isStopped = false

    package init(mark: Int64) { self.mark = mark }

    /// Decides about the next operation of a delivery and moves the mark.
    ///
    /// `verdict` is called only when it counts, so that it may cost a look-up.
    package mutating func decide(
        _ kind: Kind, sequence: Int64, previous: Int64, known: Known, verdict: () throws -> Verdict
    ) rethrows -> Decision {
        if isStopped { return .respond(.notAttempted) }
        if sequence <= mark { return try decideBelowMark(kind, known: known, verdict: verdict) }
        guard previous == mark else {
            isStopped = true
            return .respond(.gap(mark: mark))
        }
        switch (kind, known) {
        case (.delete, _):
            mark = sequence
            return .delete
        case (.send, .accepted(let serverPosition)), (.fence, .accepted(let serverPosition)):
            mark = sequence
            return .respond(.accepted(serverPosition))
        case (.fence, .no):
            mark = sequence
            return .respond(.fenced)
        case (.send, .no):
            return decideNewSend(sequence, try verdict())
        }
    }

    private mutating func decideNewSend(_ sequence: Int64, _ verdict: Verdict) -> Decision {
        switch verdict {
        case .fine:
            mark = sequence
            return .apply
        case .refuse(let code, let detail):
            mark = sequence
            return .respond(.refused(code: code, detail: detail))
        case .unrelated(let detail):
            mark = sequence
            return .respond(.unrelated(detail: detail))
        case .tryLater(let code, let detail, let after):
            isStopped = true
            return .respond(.tryLater(code: code, detail: detail, after: after))
        }
    }

    private func decideBelowMark(_ kind: Kind, known: Known, verdict: () throws -> Verdict) rethrows -> Decision {
        switch (kind, known) {
        case (.delete, _): return .delete
        case (_, .accepted(let serverPosition)): return .respond(.accepted(serverPosition))
        case (.fence, .no): return .respond(.fenced)
        case (.send, .no):
            switch try verdict() {
            case .refuse(let code, let detail): return .respond(.refused(code: code, detail: detail))
            case .unrelated(let detail): return .respond(.unrelated(detail: detail))
            case .fine, .tryLater: return .respond(.late(mark: mark))
            }
        }
    }
}
