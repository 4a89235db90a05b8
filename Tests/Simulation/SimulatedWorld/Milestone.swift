/// A behaviour that a run has to show, or a machine that is slower than it need be would pass: batches grow again after
/// a failure, lanes use the room that they have, new messages hurry the search for the hub.
package enum Milestone: Int, CaseIterable, Sendable {
    /// Several batches of a lane are under way.
    case pipelined
    /// A batch of several messages, after a failure had limited batches of the lane to one.
    case severalAfterFailure
    /// A batch as large as one that the hub had refused as a whole.
    case asManyAfterRefusal
    /// Several batches under way in a lane of which one had been refused as a whole.
    case pipelinedAfterRefusal
    /// A batch of three messages after a crash had limited batches to one.
    case severalAfterCrash
    /// Several batches of a lane under way after a crash.
    case pipelinedAfterCrash
    /// Batches of several lanes under way after a crash.
    case lanesAfterCrash
    /// Several uploads under way.
    case severalUploads
    /// A probe that new messages caused.
    case hurriedProbe
}

/// How often each milestone was reached.
package struct MilestoneCounts: Sendable, Equatable {
    private var counts = [Int](repeating: 0, count: Milestone.allCases.count)

    package init() {}

    mutating func reach(_ milestone: Milestone) { counts[milestone.rawValue] += 1 }

    package static func += (left: inout MilestoneCounts, right: MilestoneCounts) {
        for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }

    /// The milestones that were never reached.
    package var missing: [Milestone] { Milestone.allCases.filter { counts[$0.rawValue] == 0 } }

    package var summary: String {
        Milestone.allCases.map { "\($0) \(counts[$0.rawValue])" }.joined(separator: ", ")
    }
}

/// The failures of a lane that limit its batches for a while.
struct LaneSetbacks {
    var hasFailed = false
    /// The messages in the last batch that the hub refused as a whole; 0 when none was.
    var refused = 0
    /// The largest size of a batch of several messages, after a larger one got no response; `nil` after some responses.
    var sizeMax: Int?
    var responsesSinceSilence = 0
}
