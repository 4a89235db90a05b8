public import CausewayModels

/// The openings of a store, by which a server detects that a store was restored from a backup, or copied.
///
/// The server remembers the opening that delivered last. If that is neither the current opening nor one that this store
/// remembers as its own, another copy of the store delivered in between.
///
/// A server knows each account's outbox separately, so the openings belong to the account: those in which it was the
/// current one. The numbers are common to all accounts of a store.
public struct Lineage: Sendable, Hashable {
    /// The current opening; `nil` only for a caller that does not use lineage.
    public var opening: OpeningID?
    /// Earlier openings of this store in which the account was current, newest first; at most
    /// ``Limits/openingsKeptMax``.
    public var ancestors: [OpeningID]
    /// The next number of the store's counter when this opening began: all smaller numbers may have been copied.
    public var openedAt: Int64
    /// The next number of the counter when another copy was last detected; 0 if none ever was. All entries below it
    /// exist in the other copy as well, which may deliver them at any time.
    public var sharedBelow: Int64

    /// Creates a lineage; by default that of a caller that does not use lineage.
    public init(
        opening: OpeningID? = nil, ancestors: [OpeningID] = [], openedAt: Int64 = 0, sharedBelow: Int64 = 0
    ) {
        self.opening = opening
        self.ancestors = ancestors
        self.openedAt = openedAt
        self.sharedBelow = sharedBelow
    }

    /// True for an opening of this store, as far as it remembers them.
    package func contains(_ opening: OpeningID) -> Bool {
        opening == self.opening || ancestors.contains(opening)
    }

    /// Starts another opening.
    package mutating func open(_ new: OpeningID, nextSequence: Int64) {
        enter(new)
        openedAt = nextSequence
    }

    /// Makes the account the current one, in the opening in which `former` was current until now.
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
