import CausewayModels
import CausewayOutbox

/// A client's uploads and a server in simulated time: links that break, lost responses, sessions that expire, crashes
/// of the client, and messages that are deleted. One seed is one history.
struct UploadWorld {
    /// A mistake that is planted between the queue and what it decides, to show that the checks detect it.
    enum Fault: CaseIterable, Sendable {
        case ignoresLimit, forgetsSessions, forgetsReceipts, keepsCounting, countsOutages, repeatsDeleted
        case beginsNewestFirst, neverRetries
    }

    /// The part of the client's store that concerns a message.
    struct Stored: Equatable {
        var sequence: Int64
        var size: Int64
        var attempts = 0
        var session: String?
        var isUploaded = false
        var isDeleted = false
        var failure: String?
    }

    /// An upload on the server.
    struct Session: Equatable {
        var message: MessageID
        var received: Int64 = 0
        var isComplete = false
    }

    /// An attempt under way, as the driver has it.
    struct Running {
        var message: MessageID
        /// The session, once the server has named it.
        var session: String?
        /// True once the server has said how much of it is there.
        var hasOffset = false
    }

    static let uploadsMax = 2
    static let retriesMax = 3
    static let lane = LaneID.media

    let fault: Fault?
    private(set) var random: SplitMix64
    private(set) var queue = UploadQueue()
    private(set) var now = MonotonicTime(nanoseconds: 0)
    private(set) var stored: [MessageID: Stored] = [:]
    private(set) var sessions: [String: Session] = [:]
    private(set) var attempts: [Int: Running] = [:]
    private(set) var isOnline = true
    /// False after the faults have stopped.
    var hasFaults = true
    private var lastSequence: Int64 = 0
    private var lastSession = 0
    private(set) var problems: [String] = []
    /// Bytes that the server received, of each message.
    private(set) var received: [MessageID: Int64] = [:]
    /// Bytes that were received again because a session was lost.
    private(set) var repeatable: [MessageID: Int64] = [:]
    /// Consecutive failures of each message without progress, counted apart from the queue.
    private(set) var failures: [MessageID: Int] = [:]
    /// How often each kind of event happened.
    private(set) var counts: [String: Int] = [:]

    init(seed: UInt64, fault: Fault? = nil) {
        self.fault = fault
        random = SplitMix64(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool {
        hasFaults && Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func count(_ event: String) { counts[event, default: 0] += 1 }

    // MARK: - Users

    mutating func create() {
        lastSequence += 1
        let message = MessageID(UUIDv7(high: 0x7000, low: UInt64(lastSequence)))
        stored[message] = Stored(sequence: lastSequence, size: Int64.random(in: 0...20, using: &random))
        queue.insert(UploadQueue.Entry(message: message, lane: Self.lane, sequence: order(lastSequence)))
    }

    private func order(_ sequence: Int64) -> Int64 { fault == .beginsNewestFirst ? 1_000_000 - sequence : sequence }

    mutating func delete() {
        guard
            let message = stored.filter({ !$0.value.isDeleted && !$0.value.isUploaded }).keys
                .min(by: { $0.description < $1.description })
        else { return }
        count("deleted")
        stored[message]?.isDeleted = true
        let removed = queue.remove(message)
        if let number = removed.attempt, fault != .repeatsDeleted { attempts[number] = nil }
    }

    // MARK: - The client

    /// Begins what may begin. Nothing begins while the server cannot be reached.
    mutating func begin() {
        guard isOnline else { return }
        let (begun, failed) = queue.begin(
            uploadsMax: fault == .ignoresLimit ? 9 : Self.uploadsMax, retriesMax: Self.retriesMax, at: now)
        let last = begun.compactMap { stored[$0.message]?.sequence }.max() ?? 0
        let waiting = queue.waitingMessages.compactMap { stored[$0]?.sequence }
        if waiting.contains(where: { $0 < last }) { problems.append("a newer upload began first") }
        for attempt in begun {
            stored[attempt.message]?.attempts = attempt.attempts
            attempts[attempt.number] = Running(message: attempt.message, session: attempt.session)
            if stored[attempt.message]?.isUploaded == true { problems.append("a complete file is uploaded again") }
            if attempt.session != stored[attempt.message]?.session { problems.append("a session was forgotten") }
        }
        if attempts.count > Self.uploadsMax { problems.append("more uploads than allowed are under way") }
        for verdict in failed { apply(verdict) }
    }

    private mutating func apply(_ verdict: UploadQueue.Verdict?) {
        switch verdict {
        case nil: break
        case .retry(let message, _, let attempts, let session):
            stored[message]?.attempts = attempts
            stored[message]?.session = session
        case .failed(let message, let reason, let code, _):
            count("failed")
            stored[message]?.failure = code
            if reason == .retriesUsedUp, failures[message, default: 0] <= Self.retriesMax {
                problems.append("an upload failed with \(failures[message, default: 0]) failures in a row")
            }
        }
    }

    /// The process ends at once; the next one has what was stored.
    mutating func crash() {
        count("crashed")
        for attempt in attempts.values where stored[attempt.message]?.attempts != 0 {
            failures[attempt.message, default: 0] += 1
        }
        attempts = [:]
        queue = UploadQueue()
        for (message, item) in stored
        where !item.isDeleted && (!item.isUploaded || fault == .forgetsReceipts) && item.failure == nil {
            queue.insert(
                UploadQueue.Entry(
                    message: message, lane: Self.lane, sequence: order(item.sequence), attempts: item.attempts,
                    session: fault == .forgetsSessions ? nil : item.session))
        }
    }

    mutating func lose() {
        guard isOnline else { return }
        count("offline")
        isOnline = false
        for number in attempts.keys.sorted() {
            attempts[number] = nil
            if fault == .countsOutages {
                fail(number, countsForJudge: false)
            } else {
                apply(queue.interrupted(number))
            }
        }
    }

    mutating func recover() { isOnline = true }

    private mutating func fail(_ number: Int, dropsSession: Bool = false, countsForJudge: Bool = true) {
        guard let message = queue.message(of: number) else { return }
        if countsForJudge { failures[message, default: 0] += 1 }
        let now = now
        apply(
            queue.failed(
                number, code: "x", detail: "", retriesMax: Self.retriesMax, dropsSession: dropsSession,
                until: { _, _ in now + .seconds(fault == .neverRetries ? 1_000_000 : 5) }))
    }

    // MARK: - The network and the server

    /// One exchange of one attempt under way.
    mutating func exchange() {
        guard isOnline, let number = attempts.keys.sorted().randomElement(using: &random),
            var attempt = attempts[number], let item = stored[attempt.message]
        else { return }
        if item.isDeleted { problems.append("bytes of a deleted message are sent") }
        guard let name = attempt.session else { return open(number, attempt) }
        guard let session = sessions[name] else {
            count("expired")
            attempts[number] = nil
            return fail(number, dropsSession: true)
        }
        if !attempt.hasOffset {
            attempt.hasOffset = true
            attempts[number] = attempt
            queue.resumed(at: session.received, by: number)
            return
        }
        let bytes = min(item.size - session.received, Int64.random(in: 0...6, using: &random))
        sessions[name]?.received += bytes
        received[attempt.message, default: 0] += bytes
        if chance(20) {
            count("cut")
            attempts[number] = nil
            return fail(number)
        }
        progress(number, to: session.received + bytes)
        guard session.received + bytes == item.size else { return }
        sessions[name]?.isComplete = true
        attempts[number] = nil
        if chance(20) {
            // The next attempt is told that the upload is complete.
            count("lost receipt")
            return fail(number)
        }
        guard let message = queue.finished(number) else { return problems.append("a receipt belongs to nothing") }
        stored[message]?.isUploaded = true
    }

    private mutating func open(_ number: Int, _ attempt: Running) {
        lastSession += 1
        let name = "s\(lastSession)"
        sessions[name] = Session(message: attempt.message)
        if chance(15) {
            count("lost session")
            attempts[number] = nil
            return fail(number)
        }
        var attempt = attempt
        attempt.session = name
        attempt.hasOffset = true
        attempts[number] = attempt
        if queue.opened(name, by: number) { stored[attempt.message]?.session = name }
        queue.resumed(at: 0, by: number)
    }

    private mutating func progress(_ number: Int, to sent: Int64) {
        guard let message = queue.progressed(to: sent, by: number) else { return }
        failures[message] = 0
        if fault != .keepsCounting { stored[message]?.attempts = 0 }
    }

    mutating func expire() {
        guard let name = sessions.keys.sorted().randomElement(using: &random), let session = sessions[name] else {
            return
        }
        count("expiry")
        repeatable[session.message, default: 0] += session.received
        sessions[name] = nil
    }

    mutating func pass(_ time: Duration) { now = now + time }

    // MARK: - Histories

    /// One random event, and what follows from it.
    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: create()
        case 12..<14: delete()
        case 14..<17: crash()
        case 17..<20: lose()
        case 20..<30: recover()
        case 30..<32: expire()
        case 32..<45: pass(.seconds(Int64.random(in: 0...6, using: &random)))
        default: exchange()
        }
        begin()
        check()
    }

    /// Ends the faults, and lets everything finish.
    mutating func finish() {
        hasFaults = false
        recover()
        for _ in 0..<10_000 where queue.count > 0 {
            begin()
            exchange()
            if attempts.isEmpty { pass(.seconds(5)) }
            check()
        }
        if queue.count > 0 { problems.append("\(queue.count) uploads never end") }
        for (message, item) in stored where !item.isDeleted {
            if !item.isUploaded, item.failure == nil { problems.append("an upload was lost") }
            let bound = item.size + repeatable[message, default: 0]
            if received[message, default: 0] > bound { problems.append("bytes were sent again without need") }
        }
    }

    private mutating func check() {
        problems += queue.violations
        let pending = stored.filter { !$0.value.isDeleted && !$0.value.isUploaded && $0.value.failure == nil }
        if fault == nil, queue.firstPending(in: Self.lane)?.sequence != pending.values.map(\.sequence).min() {
            problems.append("the lane waits for another message than the oldest one without its file")
        }
    }
}
