package import CausewayModels

/// Decides whether a delivery comes from the newest opening of its store; free of I/O.
///
/// The hub keeps for each (account, outbox) the opening that delivered last and the highest epoch, and for each lane
/// the opening that moved its mark last.
///
/// | the delivery | the hub |
/// | --- | --- |
/// | no opening (an older client), an older epoch | `superseded` |
/// | no opening, otherwise | admitted; no opening is known any more |
/// | an opening that was barred | `forked` |
/// | no opening is known here (a new outbox, or an older client delivered last) | by its epoch: admitted, or `forked` |
/// | the opening known here, or one that has it among its ancestors | admitted; it is the known one from now on |
/// | any other | `forked`: another copy of the store has delivered since this one was taken |
/// | admitted, and the lane's mark is above its base, moved by another opening | `forkedInside`: see below |
///
/// A copy may be taken in the middle of an opening. Both then have it among their ancestors, and only the marks reveal
/// it: a mark that this store cannot have moved was moved by the other copy. Such an opening is barred for ever, so
/// that none of its operations still in transit in another lane is applied after it has continued under another outbox
/// id.
package struct LineageRules: Sendable, Hashable {
    package enum Verdict: Sendable, Equatable {
        case admitted
        /// Another process or copy of the store has a higher epoch.
        case superseded
        /// Another copy of the store has delivered.
        case forked
        /// Another copy of the store has delivered, and the opening must be barred.
        case forkedInside
    }

    /// The claim of a delivery about its store.
    package struct Claim: Sendable, Equatable {
        package var epoch: Int64
        package var opening: OpeningID?
        package var ancestors: [OpeningID]
        package var base: Int64

        package init(epoch: Int64, opening: OpeningID?, ancestors: [OpeningID], base: Int64) {
            self.epoch = epoch
            self.opening = opening
            self.ancestors = ancestors
            self.base = base
        }
    }

    /// The highest epoch seen of this outbox; 0 when there was none.
    package private(set) var highest: Int64
    /// The opening that delivered last; `nil` when there was none.
    package private(set) var opening: OpeningID?

    package init(highest: Int64, opening: OpeningID?) {
        self.highest = highest
        self.opening = opening
    }

    /// Decides about a delivery; unless it is admitted, none of its operations may be applied.
    ///
    /// - Parameters:
    ///   - isBarred: whether the opening was found `forkedInside` before.
    ///   - mark: the mark of the delivery's lane.
    ///   - mover: the opening that moved the mark last; `nil` when unknown.
    package mutating func admit(_ claim: Claim, isBarred: Bool, mark: Int64, mover: OpeningID?) -> Verdict {
        guard let new = claim.opening else {
            guard claim.epoch >= highest else { return .superseded }
            highest = claim.epoch
            opening = nil
            return .admitted
        }
        if isBarred { return .forked }
        if let opening {
            guard opening == new || claim.ancestors.contains(opening) else { return .forked }
        } else if claim.epoch < highest {
            return .forked
        }
        if mark > claim.base, let mover, mover != new { return .forkedInside }
        opening = new
        highest = max(highest, claim.epoch)
        return .admitted
    }
}
