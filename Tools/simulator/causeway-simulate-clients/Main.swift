import CausewaySimulatedClient

@main
struct Main {
    static func main() {
        for seed in UInt64(1)...200 {
            let run = Simulation.run(Plan(seed: seed))
            print(seed, run.violation ?? "fine", run.tally.steps, run.tally.virtualSeconds, run.tally.digest)
        }
    }
}
