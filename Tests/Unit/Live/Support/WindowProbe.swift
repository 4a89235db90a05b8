import CausewayLiveQuery
import CausewayStorage

/// One window and its readers, each of which checks all of its changes.
final class WindowProbe<Query: LiveQuery>: ProbedWindow {
    private let query: Query
    private let lifetime: LiveLifetime
    private let broadcaster: SnapshotBroadcaster<Query>
    private var readers: [(number: Int, check: ReaderCheck<Query>)] = []

    init(_ query: Query, _ engine: LiveQueryEngine) {
        self.query = query
        (lifetime, broadcaster) = engine.open(query, isObject: false, remote: nil)
        addReader()
    }

    func addReader() { readers.append((broadcaster.addReader(), ReaderCheck(query))) }

    func removeReader(_ choice: Int) {
        guard readers.count > 1 else { return }
        broadcaster.removeReader(readers.remove(at: choice % readers.count).number)
    }

    var readerCount: Int { readers.count }

    func turn(_ page: LivePageJob) { lifetime.turn(page) }

    func look(_ choice: Int, _ timeline: StoreTimeline) throws(Violation) {
        let index = choice % readers.count
        guard let change = broadcaster.dequeue(readers[index].number)?.change() else { return }
        try readers[index].check.accept(change, timeline)
    }

    func checkEnd(_ timeline: StoreTimeline) throws(Violation) {
        for reader in readers { try reader.check.checkEnd(timeline) }
    }
}

/// A probed window, independent of its records.
protocol ProbedWindow: AnyObject {
    var readerCount: Int { get }
    func addReader()
    func removeReader(_ choice: Int)
    func turn(_ page: LivePageJob)
    /// Lets a reader look.
    func look(_ choice: Int, _ timeline: StoreTimeline) throws(Violation)
    /// Called when all activity has ended and every reader has looked.
    func checkEnd(_ timeline: StoreTimeline) throws(Violation)
}
