import CausewayModels
import CausewaySimulationKernel
import Synchronization
import Testing

/// The parts that both simulators have in common.
@Suite struct KernelTests {
    private struct Count: RunTally {
        var seeds = 0
        /// Depends on the order of the seeds.
        var digest: UInt64 = 0
        var summary: String { "\(seeds)" }

        static func += (left: inout Count, right: Count) {
            left.seeds += right.seeds
            left.digest = (left.digest ^ right.digest) &* 31
        }
    }

    private enum Fault: String, SimulatedFault {
        case often, never

        var likelihood: Int { self == .often ? 100 : 0 }
    }

    @Test func equalTimesComeInTheOrderOfPlanning() {
        var queue = TimeQueue<Int>()
        for (value, seconds) in [3, 1, 2, 1, 3, 1].enumerated() { queue.plan(value, at: .zero + .seconds(seconds)) }
        var values: [Int] = []
        while let (_, value) = queue.next() { values.append(value) }
        #expect(values == [1, 3, 5, 2, 0, 4])
    }

    @Test func onlyALoopIsCrowded() {
        var (loop, slow) = (Moments(), Moments())
        for number in 0..<Moments.countMax {
            #expect(!loop.isCrowded)
            loop.append(.zero + .milliseconds(10 * number))
            slow.append(.zero + .seconds(number))
        }
        #expect(loop.isCrowded && !slow.isCrowded)
    }

    @Test func theNumberOfThreadsChangesNothing() {
        let runs = [1, 4].map { threads in
            SeedRun<Count>.run(0..<1_000, threads: threads) { seed in
                (Count(seeds: 1, digest: seed &* 0x9E37), seed % 333 == 7 ? "broken" : nil)
            }
        }
        #expect(runs[0].tally == runs[1].tally)
        #expect(runs[0].broken.map(\.seed) == [7, 340, 673])
        #expect(runs[1].broken.map(\.seed) == [7, 340, 673])
    }

    @Test func oneThreadStopsAtTheFirstBrokenSeed() {
        let run = SeedRun<Count>.run(0..<1_000, brokenMax: 1) { (Count(seeds: 1), $0 >= 20 ? "broken" : nil) }
        #expect(run.tally.seeds == 21)
        #expect(run.broken.map(\.isRepeatable) == [true])
    }

    @Test func anotherHistoryOfTheSameSeedIsNoticed() {
        let runs = Atomic<UInt64>(0)
        let run = SeedRun<Count>.run(100..<101) { _ in
            (Count(seeds: 1, digest: runs.wrappingAdd(1, ordering: .relaxed).newValue), nil)
        }
        #expect(run.broken.map(\.isRepeatable) == [false])
    }

    @Test func aPlanShrinksToWhatBreaksIt() {
        var shrinker = Shrinker(Array(0..<100), "7 and 40 meet 100 times") { plan in
            plan.contains(7) && plan.contains(40)
                ? "7 and 40 meet \(plan.count) times" : plan.contains(3) ? "another fault" : nil
        }
        shrinker.remove(Array(0..<100)) { plan, part in plan.removeAll(where: part.contains) }
        #expect(shrinker.plan == [7, 40])
        #expect(shrinker.violation == "7 and 40 meet 2 times")
        #expect(shrinker.runs <= 600)
    }

    @Test func likelihoodsAndStrikesAreOfTheirFault() {
        var likelihoods = FaultLikelihoods<Fault>()
        var generator = SplitMix64(seed: 1)
        likelihoods.draw(Fault.allCases, badness: 6, using: &generator)
        #expect([100, 200, 300].contains(likelihoods[.often]))
        #expect(likelihoods[.never] == 0)
        var tally = FaultTally<Fault>()
        tally.count(.often, inFlight: 0)
        tally.count(.often, inFlight: 3)
        tally += tally
        #expect(tally.struck == [.often: 4] && tally.struckInFlight == [.often: 2] && tally.inFlight == [.often: 6])
        #expect(tally.table(of: "messages").contains("often struck 4 times, 2 with messages under way (6 messages)"))
    }
}
