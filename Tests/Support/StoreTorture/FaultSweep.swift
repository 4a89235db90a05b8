/// Every call that a store makes to its disk, failing in turn: once and for ever, as a broken and as a full disk, and
/// each write also in part.
package struct FaultSweep {
    /// The faults of each run.
    package let runs: [[FaultyDisk.Fault]]
    /// The faults that have occurred; with and without others that follow, each counts once.
    private var points: Set<FaultyDisk.Fault> = []

    /// - Parameters:
    ///   - counts: the calls of a run without faults.
    ///   - samples: of each kind of call only so many, at equal distances; `nil` for all.
    package init(_ counts: [FaultyDisk.Call: Int], samples: Int? = nil) {
        var runs: [[FaultyDisk.Fault]] = []
        for call in FaultyDisk.Call.allCases {
            for number in Self.numbers(upTo: counts[call, default: 0], samples) {
                for kind in FaultyDisk.Fault.Kind.allCases where kind != .short || call == .write {
                    for isLasting in [false, true] {
                        let fault = FaultyDisk.Fault(call: call, number: number, kind: kind, isLasting: isLasting)
                        runs.append([fault])
                        guard call == .write else { continue }
                        // The remains of a failed write cannot be removed either.
                        runs.append([fault, .init(call: .truncate, number: 1, kind: .broken, isLasting: isLasting)])
                    }
                }
            }
        }
        self.runs = runs
    }

    private static func numbers(upTo count: Int, _ samples: Int?) -> [Int] {
        guard let samples, samples < count else { return Array(stride(from: 1, through: count, by: 1)) }
        return (1...samples).map { $0 * count / (samples + 1) + 1 }
    }

    /// Notes the kinds of calls that failed in a run.
    package mutating func note(_ faults: [FaultyDisk.Fault], _ hits: Set<FaultyDisk.Call>) {
        if let fault = faults.first, hits.contains(fault.call) { points.insert(fault) }
    }

    /// The number of different faults of a kind of call that have occurred.
    package var visited: [FaultyDisk.Call: Int] {
        points.reduce(into: [:]) { visited, fault in visited[fault.call, default: 0] += 1 }
    }

    package var visitedCount: Int { points.count }

    /// The visited fault points for each kind of call.
    package var summary: String {
        let visited = visited
        let parts = FaultyDisk.Call.allCases.map { "\($0) \(visited[$0, default: 0])" }
        return "\(visitedCount) fault points visited: " + parts.joined(separator: ", ")
    }
}
