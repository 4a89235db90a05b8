import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewayStorage

/// The time from a commit to the callback on the main actor with the indices of the changes, compared with
/// `ValueObservation`.
///
/// Every change is measured on each store in turn, for each of them first with the live collection and immediately
/// afterwards with `ValueObservation`: other load of the machine affects all of them alike.
struct DeliveryBenchmark {
    static let sizes = [1000, 100_000, 1_000_000]
    private static let windows = [20, 200, 2000]

    let stores: [FilledStore]

    /// Seconds of each change.
    private struct Times {
        var live: [Double] = []
        var value: [Double] = []

        var gain: Double { value.median / live.median }
    }

    @MainActor func run() async throws -> [Goal] {
        let engines = stores.map { LiveQueryEngine(store: $0.store, runtime: SystemRuntime()) }
        var goals: [Goal] = []
        var table = Table("commit to indices", "window", "live µs", "ValueObservation µs", "ratio", "goals")
        for rows in Self.windows {
            CausewayBench.progress("changes in a window of \(Figure.grouped(rows))")
            let times = try await measure(rows, engines, changes: rows > 1000 ? 120 : 240)
            for (filled, time) in zip(stores, times) {
                let reached = judge(filled, rows, time, beside: times[0])
                goals += reached
                table.add(
                    "\(Figure.grouped(filled.messages)) stored", Figure.grouped(rows),
                    Figure.microseconds(time.live.median), Figure.microseconds(time.value.median),
                    Figure.ratio(time.gain),
                    reached.map { "\(Figure.ratio($0.ratio)) \($0.verdict)" }.joined(separator: "; "))
            }
        }
        table.show()
        return goals
    }

    /// - Parameter smallest: the same on the store with the fewest messages.
    private func judge(_ filled: FilledStore, _ rows: Int, _ times: Times, beside smallest: Times) -> [Goal] {
        let stored = Figure.grouped(filled.messages)
        let window = Figure.grouped(rows)
        var goals: [Goal] = []
        // A window that is not full is another window.
        if rows == 20 || (rows == 2000 && filled.messages >= rows) {
            goals.append(
                Goal(
                    name: "window \(window) of \(stored), beside ValueObservation", ratio: times.gain,
                    bound: .atLeast(rows == 20 ? 2 : 20)))
        }
        if filled.messages == Self.sizes.last {
            goals.append(
                Goal(
                    name: "window \(window) of \(stored), over that of \(Figure.grouped(Self.sizes[0]))",
                    ratio: times.live.median / smallest.live.median, bound: .atMost(1.2)))
        }
        return goals
    }

    @MainActor private func measure(_ rows: Int, _ engines: [LiveQueryEngine], changes: Int) async throws -> [Times] {
        var arms: [(live: LiveArm, value: ValueArm)] = []
        for (filled, engine) in zip(stores, engines) {
            arms.append((await LiveArm(filled, engine, rows: rows), try await ValueArm(filled, rows: rows)))
        }
        var times = Array(repeating: Times(), count: stores.count)
        let warmUp = 8
        for number in 0..<(changes + warmUp) {
            for (index, arm) in arms.enumerated() {
                let time = try await change(number, stores[index], arm.live, arm.value)
                guard number >= warmUp else { continue }
                times[index].live.append(time.live)
                times[index].value.append(time.value)
            }
        }
        for arm in arms {
            arm.live.close()
            try arm.value.close()
        }
        return times
    }

    /// Makes one of four changes: two edits somewhere in the window, a new message, and its deletion.
    @MainActor private func change(
        _ number: Int, _ filled: FilledStore, _ live: LiveArm, _ value: ValueArm
    ) async throws -> (live: Double, value: Double) {
        let newest = filled.messagesPerChannel - 1
        // By a step that has no divisor in common with the size of a window, to cover all of it.
        let place = number * 617 % live.count
        // Later windows contain messages of earlier ones.
        let edit = live.count * 1000 + number
        let mutation: Mutation =
            switch number % 4 {
            case 2: filled.merge(newest + 1, in: 0, saying: "New \(number).")
            case 3: .delete(filled.id(newest + 1, in: 0))
            default: filled.merge(newest - place, in: 0, saying: "Edit \(number).", edit: edit)
            }
        let told = try await live.deliver(mutation)
        let fetched = try await value.deliver()
        let isRight =
            switch number % 4 {
            case 2: told.change.insertions == [0] && told.change.deletions.isEmpty
            case 3: told.change.deletions == [0] && told.change.insertions.isEmpty
            default: told.change.modifications == [place] && fetched.difference.insertions.places == [place]
            }
        guard isRight else { throw BenchError("change \(number) was told with the wrong indices: \(told.change)") }
        return (told.seconds, fetched.seconds)
    }
}

extension [CollectionDifference<WindowRow>.Change] {
    fileprivate var places: [Int] {
        map { change in
            switch change {
            case .insert(let offset, _, _), .remove(let offset, _, _): offset
            }
        }
    }
}
