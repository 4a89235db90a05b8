import CausewayModels
import Synchronization

/// Records the events of a world as they happen: offered messages, reports, and calls without a result.
final class TortureExpectations: Sendable {
    private struct State {
        var evidence = Evidence()
        var tally = TortureTally()
        var underWay = 0
        var lastNumbers: [Int: Int] = [:]
        var contradiction: String?
    }

    private let state = Mutex(State())

    var evidence: Evidence { state.withLock { $0.evidence } }
    var tally: TortureTally { state.withLock { $0.tally } }
    /// The number of calls that have not returned.
    var underWay: Int { state.withLock { $0.underWay } }
    /// An impossible report of a program.
    var contradiction: String? { state.withLock { $0.contradiction } }

    func change(_ change: (inout Evidence, inout TortureTally) -> Void) {
        state.withLock { change(&$0.evidence, &$0.tally) }
    }

    /// Returns the next lines of a sender, which are about to be passed on.
    func offer(_ count: Int, by sender: Int) -> [TortureLine] {
        state.withLock { state in
            let first = state.lastNumbers[sender, default: 0] + 1
            let lines = (first..<first + count).map { TortureLine(sender: sender, number: $0) }
            state.lastNumbers[sender] = first + count - 1
            state.evidence.offered.formUnion(lines)
            state.tally.offered += count
            state.tally.calls += 1
            state.underWay += 1
            return lines
        }
    }

    /// Records that a call has returned, with the ids of the first lines, in their order.
    ///
    /// - Parameter isWhole: whether it reported that all were accepted.
    func taken(_ ids: [MessageID], of lines: [TortureLine], isWhole: Bool) {
        state.withLock { state in
            state.underWay -= 1
            state.tally.accepted += ids.count
            if !isWhole { state.tally.callsCutOff += 1 }
            if ids.count > lines.count || isWhole && ids.count != lines.count {
                state.contradiction = "\(ids.count) ids for \(lines.count) messages, from \(lines[0]) on"
            }
            for (id, line) in zip(ids, lines) where state.evidence.accepted.updateValue(line, forKey: id) != nil {
                state.contradiction = "the id \(id) was given twice"
            }
        }
    }
}
