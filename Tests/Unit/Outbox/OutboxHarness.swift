import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// An outbox machine with a clock, for tests that read like scripts.
///
/// Every step handles one event, checks the invariants, and records the machine's actions in ``sent``, ``told`` and
/// ``written``, in short texts: `"0<1 send a, 1<2 send b"`, `"a delivered"`, `"fail a refused"`.
struct OutboxHarness {
    private(set) var outbox: Outbox
    private(set) var now = MonotonicTime.zero
    /// All batches so far; the first one is batch 1.
    private(set) var batches: [Batch] = []
    /// The actions of the last step.
    private(set) var sent: [String] = []
    private(set) var told: [String] = []
    private(set) var written: [String] = []
    private(set) var uploads: [String] = []
    /// All attempts to upload so far.
    private(set) var attempts: [UploadQueue.Attempt] = []
    private(set) var probes = 0
    /// The actions of the last event as they are.
    private(set) var actions: [OutboxAction] = []
    /// The amount by which the wall clock was set forward.
    var wallShift = Duration.zero
    private var lastSequence: Int64

    /// - Parameters:
    ///   - entries: the contents of the store at the start.
    ///   - history: the server's history as stored.
    ///   - isOnline: whether a user is logged in and the server has been reached.
    init(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:],
        pauses: [OutboxSnapshot.LanePause] = [], lineage: Lineage = Lineage(), history: ServerHistory? = nil,
        isOnline: Bool = true,
        _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) {
        var configuration = OutboxConfiguration()
        configuration.retry.jitterPercent = 0
        // Scripts are easier to follow with one batch at a time.
        configuration.deliveriesInFlightMax = 1
        configure(&configuration)
        var snapshot = OutboxSnapshot(
            outboxID: OutboxID(UUIDv7(high: 1, low: 1)), epoch: 1, lastTransmitted: lastTransmitted, entries: entries,
            pauses: pauses, lineage: lineage)
        snapshot.history = history
        outbox = Outbox(snapshot, configuration: configuration, seed: 1)
        lastSequence = max(entries.last?.sequence ?? 0, lastTransmitted.values.max() ?? 0)
        if isOnline {
            take(.sessionBegan)
            take(.authenticated)
        }
    }

    var clock: ClockReading {
        ClockReading(now: now, wall: Timestamp(milliseconds: 0).advanced(by: now - .zero + wallShift))
    }

    // MARK: - Steps

    mutating func take(_ event: OutboxEvent) {
        clear()
        handle(event)
    }

    /// Creates messages; all in one commit.
    mutating func create(_ names: String..., lane: LaneID = .text, bytes: Int = 10) {
        take(.enqueued(names.map { entry($0, lane, bytes) }))
    }

    /// A new link at the tail of a lane.
    mutating func entry(
        _ name: String, _ lane: LaneID = .text, _ bytes: Int = 10, kind: OutboxEntry.Kind = .send,
        isOperation: Bool = false
    ) -> OutboxEntry {
        lastSequence += 1
        return OutboxEntry(
            kind: kind, lane: lane, sequence: lastSequence, previous: nil, message: id(name), attempts: 0,
            bytes: kind == .send ? bytes : 0, isOperation: isOperation)
    }

    /// The server responds to a batch.
    mutating func answer(_ batch: Int, _ outcomes: DeliveryOutcome..., mark: Int64 = 0) {
        answer(batch, outcomes, mark: mark)
    }

    /// - Parameters:
    ///   - deleted: accepted messages that were deleted on the server since.
    ///   - opening: the opening of the store that the server has admitted.
    mutating func answer(
        _ batch: Int, _ outcomes: [DeliveryOutcome], mark: Int64 = 0, deleted: [String] = [], opening: OpeningID? = nil
    ) {
        guard let batch = self.batch(batch) else { return }
        var report = DeliveryReport(mark: mark, outcomes: outcomes)
        report.deletedSince = Set(deleted.map(id))
        report.opening = opening
        take(.responded(batch, report))
    }

    private func batch(_ number: Int) -> Batch? {
        guard batches.indices.contains(number - 1) else {
            Issue.record("there was no round \(number)")
            return nil
        }
        return batches[number - 1]
    }

    /// The transport fails at a batch.
    mutating func fail(_ batch: Int, _ error: TransportError) {
        if let batch = self.batch(batch) { take(.failed(batch, error)) }
    }

    /// Advances the clock, handling deadlines on the way.
    mutating func wait(_ duration: Duration) {
        clear()
        let end = now + duration
        while let deadline = outbox.nextDeadline, deadline <= end {
            now = max(now, deadline)
            handle(.deadline)
            if let next = outbox.nextDeadline, next <= now {
                Issue.record("the machine asks for a deadline in the past: it would spin")
                break
            }
        }
        now = end
    }

    /// Deletes as the engine does: first the commit, then the event.
    mutating func delete(_ name: String, _ state: SyncState, lane: LaneID = .text) {
        let message = StoredItem.message(message(name, state, lane: lane))
        let mutations = outbox.deletion(of: message, with: [], by: .api, at: clock).mutations
        clear()
        written += mutations.compactMap(\.told)
        handle(.deleted([id(name)]))
    }

    /// Resends as the engine does: the commit assigns a new sequence, and the feed reports it.
    mutating func resend(_ name: String, _ state: SyncState = .error, lane: LaneID = .text) {
        let mutations = outbox.mutations(toResend: message(name, state), at: clock)
        clear()
        written += mutations.compactMap(\.told)
        if !mutations.isEmpty { handle(.enqueued([entry(name, lane)])) }
    }

    private mutating func clear() {
        (sent, told, written, uploads, probes) = ([], [], [], [], 0)
    }

    private mutating func handle(_ event: OutboxEvent) {
        actions = outbox.handle(event, at: clock)
        for action in actions {
            switch action {
            case .commit(let mutations): written += mutations.compactMap(\.told)
            case .transmit(let batch, let mutations):
                written += mutations.compactMap(\.told)
                batches.append(batch)
                sent.append(batch.operations.map(\.told).joined(separator: ", "))
            case .upload(let attempt, let mutations):
                written += mutations.compactMap(\.told)
                attempts.append(attempt)
                uploads.append("\(attempt.message.name)\(attempt.session.map { " at \($0)" } ?? "")")
            case .cancelUpload(let number, let isAbandoned):
                let name = attempts.first { $0.number == number }?.message.name ?? "?"
                uploads.append("\(isAbandoned ? "abandon" : "cancel") \(name)")
            case .fork: written.append("fork")
            case .follow(let history, _): written.append("follow \(history.id)")
            case .reload: written.append("reload")
            case .probe: probes += 1
            case .completeAsStored(let message): told.append("\(message.name) as stored")
            case .complete(let message, let result): told.append("\(message.name) \(result.told)")
            }
        }
        if let broken = outbox.brokenInvariant() { Issue.record("after \(event): \(broken)") }
    }

    // MARK: - State

    func waitReason(_ name: String) -> WaitReason? { outbox.waitReason(for: id(name), at: clock) }

    /// The time until the machine's next deadline.
    var untilDeadline: Duration? { outbox.nextDeadline.map { $0 - now } }

    func message(_ name: String, _ state: SyncState, lane: LaneID = .text) -> Message {
        guard let channel = ChannelID("general"), let user = UserID("ada") else { preconditionFailure("names") }
        return Message(
            id: id(name), channel: channel, sender: user, content: .text(name),
            createdAt: Timestamp(milliseconds: 0), ordinal: 1, lane: lane, laneSequence: 1, syncState: state)
    }
}

/// A message named by one letter.
func id(_ name: String) -> MessageID {
    MessageID(UUIDv7(high: 7, low: UInt64(name.unicodeScalars.first?.value ?? 0)))
}

/// The server accepted the message at a position.
func accepted(_ position: Int64 = 1) -> DeliveryOutcome { .accepted(place(position)) }

func place(_ position: Int64 = 1) -> ServerPosition {
    ServerPosition(position: position, acceptedAt: Timestamp(milliseconds: 0))
}

extension DeliveryOutcome {
    static let busy = DeliveryOutcome.tryLater(code: "busy", detail: "", after: nil)
    static let forbidden = DeliveryOutcome.refused(code: "forbidden", detail: "")
}

extension TransportError {
    static let serverBusy = TransportError.transient(code: "503", detail: "busy")
    static let noWay = TransportError.unreachable(detail: "no way")
    static let noAnswer = TransportError.inDoubt(detail: "no answer")
    static let badRequest = TransportError.refused(code: "400", detail: "no sense")
    static let badToken = TransportError.actionRequired(ActionRequired(cause: .tokenRefused, detail: "401"))
}

extension MessageID {
    var name: String { UnicodeScalar(UInt32(truncatingIfNeeded: value.low)).map(String.init) ?? "?" }
}

extension Batch.Operation {
    fileprivate var told: String { "\(previous)<\(sequence) \(kind) \(message.name)" }
}

extension DeliveryResult {
    fileprivate var told: String {
        switch self {
        case .delivered: "delivered"
        case .failed(let failure): "failed \(failure.reason.rawValue)"
        case .deleted: "deleted"
        }
    }
}

extension Mutation {
    /// A short text; `nil` for mutations that the scripts ignore.
    fileprivate var told: String? {
        switch self {
        case .attempt(let id, let previous, let attempts, at: _): "attempt \(id.name) after \(previous) #\(attempts)"
        case .requeue(let id, let attempts, at: _): "requeue \(id.name) #\(attempts)"
        case .deliver(let id, _, at: _): "deliver \(id.name)"
        case .fail(let id, let failure, let inDoubt):
            "fail \(id.name) \(failure.reason.rawValue)\(inDoubt ? " in doubt" : "")"
                + (failure.pausesLane ? ", pausing" : "")
        case .settle(let id): "settle \(id.name)"
        case .resend(let id, at: _): "resend \(id.name)"
        case .park(let id, _): "park \(id.name)"
        case .enqueue(let draft): "enqueue \(draft.payload.name)"
        case .rewrite(let id, _): "rewrite \(id.name)"
        case .upload(let id, let step, at: _): "\(step.told) \(id.name)"
        case .delete(let id): "delete \(id.name)"
        case .putMarker(let entry):
            "\(entry.kind) \(entry.message.name) at \(entry.sequence)"
        case .appendDelete(let id, lane: _): "append delete \(id.name)"
        case .attemptMarker(let sequence, let previous): "control \(sequence) after \(previous)"
        case .removeMarker(let sequence): "done \(sequence)"
        case .rebase(let sequence, let previous): "rebase \(sequence) after \(previous)"
        case .forkOutbox: "fork"
        case .followHistory(let history, _, marks: _, at: _): "follow \(history.id)"
        case .keepHistory, .setEventCursor, .prune: nil
        case .setLastTransmitted, .recordDelete: nil
        case .saveSession, .endSession, .eraseAccount, .merge, .mergeRecords, .removeRecord: "\(self)"
        }
    }
}

extension UploadStep {
    /// A short text.
    fileprivate var told: String {
        switch self {
        case .begin(let attempts): "begin #\(attempts)"
        case .open(let session): "open \(session)"
        case .progress: "progress"
        case .requeue(let session, let attempts): "requeue \(session ?? "-") #\(attempts)"
        case .complete(let receipt): "receipt \(receipt)"
        case .startAgain: "start again"
        }
    }
}
