public import CausewayModels

/// The openings of a store: the server can tell by them that a store was restored from a backup, or copied.
///
/// The server remembers the opening that delivered last. If that is neither the present opening nor one that this store
/// remembers as its own, another copy of the store delivered in between.
///
/// A server knows each account's outbox by itself, so the openings are the account's own: those in which it was the
/// current one. The numbers are common to all accounts of a store.
public struct Lineage: Sendable, Hashable {
    /// The present opening; `nil` only where a caller does without lineage.
    public var opening: OpeningID?
    /// Earlier openings of this store in which the account was current, newest first; at most
    /// ``Limits/openingsKeptMax``.
    public var ancestors: [OpeningID]
    /// The next number of the store's counter when this opening began: everything below it may have been copied.
    public var openedAt: Int64
    /// The next number of the counter when another copy was noticed last; 0 when none ever was. Everything below it is
    /// in the other copy as well, which may deliver it at any time.
    public var sharedBelow: Int64

    public init(
        opening: OpeningID? = nil, ancestors: [OpeningID] = [], openedAt: Int64 = 0, sharedBelow: Int64 = 0
    ) {
        self.opening = opening
        self.ancestors = ancestors
        self.openedAt = openedAt
        self.sharedBelow = sharedBelow
    }

    /// Begins another opening.
    package mutating func open(_ new: OpeningID, nextSequence: Int64) {
        enter(new)
        openedAt = nextSequence
    }

    /// The account becomes the current one, in the opening that `former` was current in until now.
    package mutating func takeOver(from former: Lineage) {
        if let opening = former.opening, opening != self.opening { enter(opening) }
        openedAt = former.openedAt
        sharedBelow = former.sharedBelow
    }

    private mutating func enter(_ new: OpeningID) {
        if let opening { ancestors = Array(([opening] + ancestors).prefix(Limits.openingsKeptMax)) }
        opening = new
    }
}
