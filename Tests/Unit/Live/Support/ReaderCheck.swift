import CausewayLiveQuery
import CausewayModels
import CausewayStorage

/// An incorrect change passed to a reader.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Compares every change passed to one reader of a query with its previous state, and with the contents of the store.
struct ReaderCheck<Query: LiveQuery>: Sendable {
    let query: Query
    private(set) var seen: [Query.Record] = []
    private(set) var version: Int64 = 0
    private(set) var hasSeen = false
    private var isMore = (next: false, previous: false)
    /// True if the store could not be read: then the edges are as they were last known.
    private var isTroubled = false

    /// True if the list may end, and report that there is more, where only the server has more.
    private let hasServer: Bool

    init(_ query: Query, hasServer: Bool = false) {
        self.query = query
        self.hasServer = hasServer
    }

    mutating func accept(
        _ change: LiveCollectionChange<Query.Record>, _ timeline: StoreTimeline
    ) throws(Violation) {
        guard change.version >= version else { throw violation("version \(change.version) after \(version)") }
        guard change.oldSnapshot.elementsEqual(seen) else {
            throw violation("the old snapshot is not what the reader saw last")
        }
        let new = Array(change.snapshot)
        guard Set(new.map(\.id)).count == new.count else { throw violation("a record is shown twice") }
        guard change.snapshot.count == new.count,
            new.isEmpty || change.snapshot[new.count / 2].id == new[new.count / 2].id
        else { throw violation("reading by index and in order differ") }
        try checkIndices(change, seen, new)
        seen = new
        version = change.version
        hasSeen = true
        isMore = (change.hasNext, change.hasPrevious)
        isTroubled = change.underlyingError != nil
        guard let moment = timeline.moment(version) else { throw violation("version \(version) was never committed") }
        try check(against: moment, "version \(version)")
    }

    /// Called when all activity has ended and the reader has looked.
    func checkEnd(_ timeline: StoreTimeline) throws(Violation) {
        guard hasSeen else { throw violation("a reader was never told anything") }
        guard !isTroubled else { throw violation("what could not be read was not read again") }
        try check(against: timeline.latest, "the end, at version \(timeline.version)")
        guard !isMore.next && !isMore.previous || seen.count >= query.pageSize else {
            throw violation("\(seen.count) records are left of a page of \(query.pageSize)")
        }
    }

    /// Checks that the last state equals the result of a query at this moment: consecutive records, with flags that
    /// report whether there are more.
    func check(against moment: StoreTimeline.StoredState, _ when: String) throws(Violation) {
        let truth = moment.records(of: query)
        guard let first = seen.first else {
            guard truth.isEmpty || isTroubled || isMore.next || isMore.previous else {
                throw violation("nothing is shown of \(truth.count) records at \(when)")
            }
            return
        }
        guard let start = truth.firstIndex(where: { $0.id == first.id }), start + seen.count <= truth.count,
            truth[start..<(start + seen.count)].elementsEqual(seen)
        else {
            throw violation("it is not what a query gives at \(when): \(seen.map(\.id)) of \(truth.map(\.id))")
        }
        let end = start + seen.count
        if !isTroubled { try checkAnchor(start..<end, of: truth.count, when) }
        // With a server there may be more than is stored.
        let isRight =
            hasServer
            ? (isMore.next || end == truth.count) && (isMore.previous || start == 0)
            : isMore == (end < truth.count, start > 0)
        guard isTroubled || isRight else {
            throw violation(
                "\(start) to \(end) of \(truth.count) at \(when), and hasPrevious is \(isMore.previous), hasNext "
                    + "\(isMore.next)")
        }
    }

    /// Regardless of insertions and deletions, a list that begins at the first record shows that one, and a list that
    /// ends at the last one shows it.
    private func checkAnchor(_ range: Range<Int>, of count: Int, _ when: String) throws(Violation) {
        switch query.anchor {
        case .first where range.lowerBound > 0 || isMore.previous:
            throw violation("it begins with \(range.lowerBound) of \(count) at \(when), not with the first")
        case .last where range.upperBound < count || isMore.next:
            throw violation("it ends with \(range.upperBound) of \(count) at \(when), not with the last")
        default: return
        }
    }

    // MARK: Indices

    private func checkIndices(
        _ change: LiveCollectionChange<Query.Record>, _ old: [Query.Record], _ new: [Query.Record]
    ) throws(Violation) {
        for indices in [change.deletions, change.insertions, change.modifications]
        where zip(indices, indices.dropFirst()).contains(where: { $0 >= $1 }) {
            throw violation("indices that do not ascend: \(indices)")
        }
        guard change.deletions.allSatisfy(old.indices.contains), change.insertions.allSatisfy(new.indices.contains),
            change.modifications.allSatisfy(new.indices.contains)
        else { throw violation("an index outside its snapshot") }
        var folded = old
        for index in change.deletions.reversed() { folded.remove(at: index) }
        for index in change.insertions { folded.insert(new[index], at: min(index, folded.count)) }
        for index in change.modifications where index < folded.count {
            guard folded[index].id == new[index].id, folded[index] != new[index] else {
                throw violation("\(index) is no modification")
            }
            folded[index] = new[index]
        }
        guard folded == new else {
            throw violation(
                "the change does not lead from the old snapshot to the new: \(old.map(\.id)) to \(new.map(\.id)) by "
                    + "-\(change.deletions) +\(change.insertions) *\(change.modifications)")
        }
        try checkMoves(change, old, new)
    }

    /// A record that was removed and added again is reported as a move, and no other record is.
    private func checkMoves(
        _ change: LiveCollectionChange<Query.Record>, _ old: [Query.Record], _ new: [Query.Record]
    ) throws(Violation) {
        let gone = Set(change.deletions.map { old[$0].id })
        let moved = change.insertions.filter { gone.contains(new[$0].id) }
        guard change.moves.map(\.to) == moved, change.moves.allSatisfy({ old[$0.from].id == new[$0.to].id }) else {
            throw violation("the moves are wrong")
        }
        // A single moving record that kept its index did not move: the echo of a message is a modification.
        if change.moves.count == 1, change.deletions.count == 1, change.insertions.count == 1,
            change.moves[0].from == change.moves[0].to
        {
            throw violation("a record that kept its place is told as moved")
        }
    }

    private func violation(_ what: String) -> Violation { Violation("\(query): \(what)") }
}
