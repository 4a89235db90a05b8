/// Reassigns the lane sequences of a lane after the server has lost some of its messages.
///
/// A lost message precedes every message that was created later, whether that one was lost or is still queued. Queued
/// messages keep their order among themselves: a resent message stays where the resend put it.
package enum LostPlaces {
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
    package static func shared(lost: [Entry], waiting: [Entry]) -> [Entry] {
        // A queued message ranks no lower than the queued messages before it.
        var newest = Int64.min
        let queue = waiting.sorted { $0.sequence < $1.sequence }.map { place in
            newest = max(newest, place.ordinal)
            return (rank: newest, place: place)
        }
        let ranked = (queue + lost.map { (rank: $0.ordinal, place: $0) })
            .sorted { ($0.rank, $0.place.sequence) < ($1.rank, $1.place.sequence) }
        let sequences = ranked.map(\.place.sequence).sorted()
        return zip(ranked, sequences).map { Entry(ordinal: $0.place.ordinal, sequence: $1) }
    }
}
