import CausewayLive
import CausewayModels
import CausewayStorage

/// What is wrong with what a reader was given.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One window and its readers, each of which checks all that it is given.
final class WindowProbe<Query: LiveQuery>: ProbedWindow {
    private struct Reader {
        var number: Int
        var seen: [Query.Record] = []
        var version: Int64 = 0
        var hasSeen = false
        var isMore = (next: false, previous: false)
        /// True when the store could not be read: then the edges are as they were last known.
        var isTroubled = false
    }

    let query: Query
    private let lifetime: LiveLifetime
    private let outlet: LiveOutlet<Query>
    private var readers: [Reader] = []

    init(_ query: Query, _ router: LiveRouter) {
        self.query = query
        (lifetime, outlet) = router.open(query, isObject: false, remote: nil)
        addReader()
    }

    func addReader() { readers.append(Reader(number: outlet.addReader())) }

    func removeReader(_ choice: Int) {
        guard readers.count > 1 else { return }
        outlet.removeReader(readers.remove(at: choice % readers.count).number)
    }

    var readerCount: Int { readers.count }

    func turn(_ page: LivePageJob) { lifetime.turn(page) }

    /// Lets a reader look.
    func look(_ choice: Int, _ timeline: StoreTimeline) throws(Violation) {
        let index = choice % readers.count
        guard let change = outlet.take(readers[index].number)?.change() else { return }
        try check(change, readers[index])
        readers[index].seen = Array(change.snapshot)
        readers[index].version = change.version
        readers[index].hasSeen = true
        readers[index].isMore = (change.hasNext, change.hasPrevious)
        readers[index].isTroubled = change.error != nil
        try checkTruth(readers[index], timeline.moment(change.version), "version \(change.version)")
    }

    /// To be called when nothing happens any more and every reader has looked.
    func checkEnd(_ timeline: StoreTimeline) throws(Violation) {
        for reader in readers {
            guard reader.hasSeen else { throw Violation("\(query): a reader was never told anything") }
            guard !reader.isTroubled else { throw Violation("\(query): what could not be read was not read again") }
            try checkTruth(reader, timeline.latest, "the end, at version \(timeline.version)")
            let isWhole = !reader.isMore.next && !reader.isMore.previous
            guard isWhole || reader.seen.count >= query.pageSize else {
                throw Violation("\(query): \(reader.seen.count) records are left of a page of \(query.pageSize)")
            }
        }
    }

    // MARK: Checks

    private func check(_ change: LiveCollectionChange<Query.Record>, _ reader: Reader) throws(Violation) {
        guard change.version >= reader.version else {
            throw Violation("\(query): version \(change.version) after \(reader.version)")
        }
        guard Array(change.oldSnapshot) == reader.seen else {
            throw Violation("\(query): the old snapshot is not what the reader saw last")
        }
        let new = Array(change.snapshot)
        guard Set(new.map(\.id)).count == new.count else { throw Violation("\(query): a record is shown twice") }
        guard change.snapshot.count == new.count, change.snapshot.indices.allSatisfy({ change.snapshot[$0] == new[$0] })
        else { throw Violation("\(query): reading by index and in order differ") }
        try checkIndices(change, reader.seen, new)
    }

    private func checkIndices(
        _ change: LiveCollectionChange<Query.Record>, _ old: [Query.Record], _ new: [Query.Record]
    ) throws(Violation) {
        for indices in [change.deletions, change.insertions, change.modifications]
        where zip(indices, indices.dropFirst()).contains(where: { $0 >= $1 }) {
            throw Violation("\(query): indices that do not ascend: \(indices)")
        }
        guard change.deletions.allSatisfy(old.indices.contains), change.insertions.allSatisfy(new.indices.contains),
            change.modifications.allSatisfy(new.indices.contains)
        else { throw Violation("\(query): an index outside its snapshot") }
        var folded = old
        for index in change.deletions.reversed() { folded.remove(at: index) }
        for index in change.insertions { folded.insert(new[index], at: min(index, folded.count)) }
        for index in change.modifications where index < folded.count {
            guard folded[index].id == new[index].id, folded[index] != new[index] else {
                throw Violation("\(query): \(index) is no modification")
            }
            folded[index] = new[index]
        }
        guard folded == new else {
            throw Violation(
                "\(query): the change does not lead from the old snapshot to the new: \(old.map(\.id)) to "
                    + "\(new.map(\.id)) by -\(change.deletions) +\(change.insertions) *\(change.modifications)")
        }
        try checkMoves(change, old, new)
    }

    /// What went and came again is told as a move, and nothing else is.
    private func checkMoves(
        _ change: LiveCollectionChange<Query.Record>, _ old: [Query.Record], _ new: [Query.Record]
    ) throws(Violation) {
        let gone = Set(change.deletions.map { old[$0].id })
        let moved = change.insertions.filter { gone.contains(new[$0].id) }
        guard change.moves.map(\.to) == moved, change.moves.allSatisfy({ old[$0.from].id == new[$0.to].id }) else {
            throw Violation("\(query): the moves are wrong")
        }
        // A record whose neighbours are the same did not move: the echo of a message is one modification.
        if moved.count == 1, gone.count == 1, change.insertions.count == 1,
            change.moves.first.map({ $0.from == $0.to }) == true
        {
            throw Violation("\(query): a record that kept its place is told as moved")
        }
    }

    private func checkTruth(
        _ reader: Reader, _ moment: StoreTimeline.Moment?, _ when: String
    ) throws(Violation) {
        guard let moment else { throw Violation("\(query): \(when) was never committed") }
        let truth = moment.records(of: query)
        let shown = reader.seen
        guard let first = shown.first else {
            guard truth.isEmpty || reader.isTroubled || reader.isMore.next || reader.isMore.previous else {
                throw Violation("\(query): nothing is shown of \(truth.count) records at \(when)")
            }
            return
        }
        guard let start = truth.firstIndex(where: { $0.id == first.id }), start + shown.count <= truth.count,
            Array(truth[start..<(start + shown.count)]) == shown
        else {
            throw Violation(
                "\(query): what is shown is not what a query gives at \(when): \(shown.map(\.id)) of "
                    + "\(truth.map(\.id))")
        }
        let end = start + shown.count
        guard reader.isTroubled || reader.isMore == (end < truth.count, start > 0) else {
            throw Violation(
                "\(query): \(start) to \(end) of \(truth.count) at \(when), and hasPrevious is "
                    + "\(reader.isMore.previous), hasNext \(reader.isMore.next)")
        }
    }
}

/// A probed window, whatever it shows.
protocol ProbedWindow: AnyObject {
    var readerCount: Int { get }
    func addReader()
    func removeReader(_ choice: Int)
    func turn(_ page: LivePageJob)
    func look(_ choice: Int, _ timeline: StoreTimeline) throws(Violation)
    func checkEnd(_ timeline: StoreTimeline) throws(Violation)
}
