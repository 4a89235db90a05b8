/// Reassigns the lane sequences of a lane after the server has lost some of its messages.
///
/// A lost message precedes every message that was created later, whether that one was lost or is still queued. Queued
/// messages keep their order among themselves: a resent message stays where the resend put it.
package enum LaneSequences {
    /// A message of the lane and its lane sequence.
    package struct Entry: Equatable, Sendable {
        package var ordinal: Int64
        package var sequence: Int64

        package init(ordinal: Int64, sequence: Int64) {
            self.ordinal = ordinal
            self.sequence = sequence
        }
    }

    /// Distributes the sequences of all given messages among them.
    ///
    /// - Complexity: O(n log n)
    package static func reassigned(lost: [Entry], waiting: [Entry]) -> [Entry] {
        // A queued message ranks no lower than the queued messages before it.
        var newest = Int64.min
        let queue = waiting.sorted { $0.sequence < $1.sequence }.map { entry in
            newest = max(newest, entry.ordinal)
            return (rank: newest, entry: entry)
        }
        let ranked = (queue + lost.map { (rank: $0.ordinal, entry: $0) })
            .sorted { ($0.rank, $0.entry.sequence) < ($1.rank, $1.entry.sequence) }
        let sequences = ranked.map(\.entry.sequence).sorted()
        return zip(ranked, sequences).map { Entry(ordinal: $0.entry.ordinal, sequence: $1) }
    }
}
