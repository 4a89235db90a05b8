package import CausewayModels

/// Decides whether a delivery comes from the newest opening of its store; free of I/O.
///
/// The hub keeps for each (account, outbox) the opening that delivered last and the highest epoch, and for each lane
/// the opening that moved its mark last, and with which operation.
///
/// | the delivery | the hub |
/// | --- | --- |
/// | no opening (an older client), an older epoch | `superseded` |
/// | no opening, otherwise | admitted; no opening is known any more |
/// | an opening that was barred | `forked` |
/// | no opening is known here (a new outbox, or an older client delivered last) | by its epoch: admitted, or `forked` |
/// | the opening known here, or one that has it among its ancestors | admitted; it is the known one from now on |
/// | any other | `forked`: another copy of the store has delivered since this one was taken |
/// | admitted, and another opening moved the lane's mark where this store cannot have moved it | `forkedInside` |
///
/// A copy may be taken in the middle of an opening. Both then have it among their ancestors, and only the marks reveal
/// it. A store cannot have moved a mark above its base, nor between two sequences that it transmitted one after the
/// other, nor with another operation than its own of that sequence. (The base alone is not enough: it includes what the
/// store transmitted in openings that never reached the hub.) The hub knows only the last operation of a lane: one of a
/// copy's before it, which this store left out, stays unseen. Such an opening is barred for ever, so that none of its
/// operations still in transit in another lane is applied after it has continued under another outbox id.
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

    /// An operation of a delivery, as a link of its lane's chain.
    package struct Link: Sendable, Equatable {
        /// The sequence that its store transmitted before it.
        package var previous: Int64
        package var sequence: Int64
        package var id: OperationID

        package init(previous: Int64, sequence: Int64, id: OperationID) {
            self.previous = previous
            self.sequence = sequence
            self.id = id
        }
    }

    /// The end of a lane, as the hub keeps it.
    package struct LaneEnd: Sendable, Equatable {
        package var mark: Int64
        /// The opening that moved the mark last; `nil` when unknown.
        package var mover: OpeningID?
        /// The operation whose sequence the mark is; `nil` when unknown.
        package var operation: OperationID?

        package init(mark: Int64 = 0, mover: OpeningID? = nil, operation: OperationID? = nil) {
            self.mark = mark
            self.mover = mover
            self.operation = operation
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
    ///   - lane: the end of the delivery's lane.
    ///   - links: the operations of the delivery, in order.
    package mutating func admit(
        _ claim: Claim, isBarred: Bool, lane: LaneEnd, links: some Sequence<Link>
    ) -> Verdict {
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
        if let mover = lane.mover, mover != new, Self.isForeign(lane, claim, links) { return .forkedInside }
        opening = new
        highest = max(highest, claim.epoch)
        return .admitted
    }

    /// True for a mark that the delivery's store cannot have moved.
    private static func isForeign(_ lane: LaneEnd, _ claim: Claim, _ links: some Sequence<Link>) -> Bool {
        if lane.mark > claim.base { return true }
        return links.contains { link in
            if link.sequence == lane.mark { return lane.operation.map { $0 != link.id } ?? false }
            return link.previous < lane.mark && lane.mark < link.sequence
        }
    }
}
