internal import CausewayModels

/// Decides whether the hub still has everything that it confirmed to a client; free of I/O.
///
/// The hub counts the commits that change something, remembers the last one of each of its openings, and names opening
/// and commit in its responses; the client sends back the highest that it saw. A database that was restored from a
/// backup does not know that opening, or knows that it ended earlier: data was lost, and the rest is another history. A
/// hub that was created anew has another history too.
///
/// | the client names | the hub |
/// | --- | --- |
/// | nothing (an older client, or a first contact) | `current` |
/// | another hub, or something that this hub did not seal | `changed` |
/// | the present history, in a known opening that reached the commit | `current` |
/// | the present history otherwise | `lost`: another history begins |
/// | a history with a floor below the present one | `changed`: another history has begun since |
/// | any other history, in whichever opening it began | `lost`: positions above the present floor may have been used |
///
/// A delivery is applied only in the opening that it names, too: one that was sent before the data were put back may
/// arrive after that, and its claim alone does not show it.
///
/// Positions are never used twice: each history begins above all positions that an earlier one can have assigned.
package enum HistoryRules {
    package enum Verdict: Sendable, Equatable {
        /// Everything that was confirmed to the client is here.
        case current
        /// The client knows another history.
        case changed
        /// Data is gone, and no history has begun since: one must begin, above this floor.
        case lost(floor: Int64)
    }

    /// The claim of a client, sealed by this hub.
    package struct Claim: Sendable, Equatable {
        package var isOfPresentHistory: Bool
        package var floor: Int64
        package var commit: Int64

        package init(isOfPresentHistory: Bool, floor: Int64, commit: Int64) {
            self.isOfPresentHistory = isOfPresentHistory
            self.floor = floor
            self.commit = commit
        }
    }

    /// Decides about a sealed claim.
    ///
    /// - Parameters:
    ///   - floor: the floor of the present history.
    ///   - lastCommit: the last commit of the claim's opening in this hub's records; `nil` when it does not know the
    ///   opening.
    package static func judge(_ claim: Claim, floor: Int64, lastCommit: Int64?) -> Verdict {
        if claim.isOfPresentHistory, let lastCommit, claim.commit <= lastCommit { return .current }
        if !claim.isOfPresentHistory, claim.floor < floor { return .changed }
        return .lost(floor: max(floor, claim.floor))
    }

    /// Returns the floor of a new history: above every position that a history with the given floor and highest known
    /// position can have used, as long as it assigned fewer than 2³² of which no record remains; `nil` when there is no
    /// room left.
    package static func floor(above floor: Int64, _ highestPosition: Int64) -> Int64? {
        let used = max(floor, highestPosition, 0)
        guard used <= Limits.positionMax - (3 << 32) else { return nil }
        return ((used >> 32) + 2) << 32
    }
}
