import CausewayModels

/// Generates scenarios from a seed. Only steps with a certain end follow each other.
struct ScenarioGenerator {
    private var generator: SplitMix64
    private var steps: [Scenario.Step] = []
    private var count = 0
    private var line = Scenario.Line.up
    /// Messages from this one on cannot have been sent: their changes stay here until the line works.
    private var firstHeld = 0
    /// The kind of faulty line makes no difference until it works again: everything only waits.
    private var isOutOfTouch: Bool { !line.isGood }

    private init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    static func scenario(seed: UInt64, steps: Int = 20) -> Scenario {
        var teller = ScenarioGenerator(seed: seed)
        teller.create()
        while teller.steps.count < steps { teller.goOn() }
        if teller.isOutOfTouch { teller.use(.up) }
        return Scenario(seed: seed, steps: teller.steps)
    }

    private mutating func goOn() {
        if isOutOfTouch { goOnWaiting() } else { goOnWorking() }
    }

    private mutating func goOnWorking() {
        switch Int.random(in: 0..<22, using: &generator) {
        case 0...1: create()
        case 2: steps.append(.delete(someone()))
        case 3: steps.append(.resend(someone()))
        case 4: steps.append(.resendAll)
        case 5: if oneIn(3) { steps.append(.deleteAllFailed) }
        case 6: use(oneIn(2) ? .slow : .slices)
        case 7: use(.cut)
        case 8...9:
            // First a message that gets through, so that a connection is open, and a later one uses it.
            steps.append(.create(new(in: .general)))
            count += 1
            firstHeld = count
            use(oneIn(2) ? .mute : .blackHole)
            steps.append(.create(new(in: .second)))
            count += 1
        case 10: restart()
        case 11: steps.append(.restartHub)
        case 12: steps.append(.relogin)
        case 13...14: trouble()
        case 15:
            steps.append(.refusedToken(new(in: .general)))
            count += 1
        case 16:
            steps.append(.repeated(new(in: .second)))
            count += 1
        case 17...18: steps.append(.edit(someone()))
        case 19...20: react(someone())
        default: steps.append(.lateCopy)
        }
    }

    private mutating func goOnWaiting() {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0...2: create()
        case 3...5: steps.append(.delete(oneIn(2) ? count - 1 : someone()))
        case 6: steps.append(.resend(someone()))
        case 7: steps.append(.resendAll)
        case 8: restart()
        case 9:
            if line == .cut { steps.append(.restartHub) }
        case 10:
            if oneIn(2) {
                steps.append(.relogin)
                line = .up
            }
        case 11...12: steps.append(.edit(someoneHeld()))
        case 13: react(someoneHeld())
        default: use(.up)
        }
    }

    private mutating func trouble() {
        let news = (0..<Int.random(in: 1...4, using: &generator)).map { _ in new() }
        count += news.count
        switch Int.random(in: 0..<7, using: &generator) {
        case 0...1: steps.append(.trouble(.respond(status: 503, code: "busy"), times: manyTimes(), news))
        case 2: steps.append(.trouble(.respond(status: 400, code: "noSuchThing"), times: times(2), news))
        case 3: steps.append(.trouble(.rateLimited, times: 1, news))
        case 4: steps.append(.trouble(.lostAnswer, times: manyTimes(), news))
        case 5: steps.append(.trouble(.cutBefore, times: manyTimes(), news))
        default: steps.append(.trouble(.captivePortal, times: times(3), news))
        }
    }

    private mutating func create() {
        steps.append(.create(new()))
        count += 1
    }

    private mutating func react(_ message: Int) {
        steps.append(.react(message, name: oneIn(2) ? "like" : "heart", isAdded: !oneIn(3)))
    }

    private mutating func restart() {
        steps.append(.restart(resumes: oneIn(2)))
        // The new client cannot reach the hub before the line works.
        firstHeld = 0
    }

    private mutating func use(_ new: Scenario.Line) {
        guard new != line else { return }
        if new == .cut { firstHeld = 0 }
        line = new
        steps.append(.line(new))
    }

    private mutating func new() -> Scenario.Draft {
        var draft = new(in: oneIn(6) ? .nowhere : oneIn(3) ? .second : .general)
        if count > 0, oneIn(5) { draft.parent = someone() }
        return draft
    }

    private mutating func new(in room: Scenario.Room) -> Scenario.Draft {
        Scenario.Draft(room: room, isCustom: oneIn(4))
    }

    private mutating func someone() -> Int { Int.random(in: 0..<count, using: &generator) }

    /// Four failed attempts are the end of a message; some of these faults last longer, some do not.
    private mutating func manyTimes() -> Int { [1, 3, 4, 5, 8].randomElement(using: &generator) ?? 1 }

    private mutating func someoneHeld() -> Int { Int.random(in: min(firstHeld, count - 1)..<count, using: &generator) }

    private mutating func times(_ most: Int) -> Int { Int.random(in: 1...most, using: &generator) }

    private mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
}
