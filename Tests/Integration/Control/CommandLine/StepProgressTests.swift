import CausewayCommandLine
import Testing

@Suite struct StepProgressTests {
    private let began = ContinuousClock.now

    @Test func aStepWithoutAReportShowsThatTimePasses() {
        let progress = StepProgress()
        #expect(progress.line(now: began) == nil)
        progress.report("pages", 0, 4096, now: began)
        #expect(progress.line(now: began) == "pages: 0 s")
        #expect(progress.line(now: began + .milliseconds(3500)) == "pages: 3 s")
    }

    @Test func aReportShowsThePartsAndTheTimeOfItsStep() {
        let progress = StepProgress()
        progress.report("pages", 0, nil, now: began)
        progress.report("entries", 1000, nil, now: began + .seconds(5))
        #expect(progress.line(now: began + .seconds(5)) == "entries: 1000")
        progress.report("entries", 2000, 8000, now: began + .seconds(7))
        #expect(progress.line(now: began + .seconds(7)) == "entries: 2000 of 8000, 2 s")
    }
}
