import CausewayModels
import CausewayStorage
import DequeModule

/// The uploads of attachments that messages of the outbox need: they run ahead of the messages, which are sent in the
/// order of their lanes.
///
/// ``UploadQueue`` decides which upload begins when. A lane sends no message from its oldest one without a receipt on
/// (``LaneBlock/uploading(_:from:)``); other lanes do not wait for it. An upload needs what a delivery needs: a
/// session, a connection that is stable, and no required action. A failed upload fails its message.
extension Outbox {
    // MARK: - Begin

    /// Begins the uploads for which there is a place.
    mutating func beginUploads(_ step: inout OutboxStep) {
        guard uploads.count > 0, storeView == .current, standstill(at: step.clock.now) == nil else { return }
        let (begun, failed) = uploads.begin(
            uploadsMax: max(1, configuration.uploadsMax), retriesMax: configuration.retry.retriesMax,
            at: step.clock.now)
        for attempt in begun {
            let begin = Mutation.upload(attempt.message, .begin(attempts: attempt.attempts), at: step.clock.wall)
            step.perform(.upload(attempt, [begin]))
        }
        resolve(failed, &step)
    }

    /// Adds the upload that an entry needs before it can be sent.
    mutating func insertUpload(of entry: OutboxEntry) {
        guard let upload = entry.upload, upload.isPending else { return }
        uploads.insert(
            UploadQueue.Entry(
                message: entry.message, lane: entry.lane, sequence: entry.sequence, attempts: upload.attempts,
                session: upload.session))
    }

    // MARK: - Progress

    mutating func uploadReported(_ number: Int, _ event: UploadEvent, _ step: inout OutboxStep) {
        switch event {
        case .opened(let session):
            noteHeard(step.clock)
            guard uploads.opened(session, by: number), let message = uploads.message(of: number) else { return }
            step.write(.upload(message, .open(session: session), at: step.clock.wall))
            step.commit()
        case .resumed(let offset):
            noteHeard(step.clock)
            uploads.resumed(at: offset, by: number)
        case .progressed(let sent):
            noteHeard(step.clock)
            guard let message = uploads.progressed(to: sent, by: number) else { return }
            step.write(.upload(message, .progress, at: step.clock.wall))
            step.commit()
        case .uploaded(let receipt):
            noteHeard(step.clock)
            uploaded(number, receipt, &step)
        case .failed(let error): uploadFailed(number, error, &step)
        case .unsendable(let code, let detail):
            apply(uploads.refused(number, .unsendable, code: code, detail: detail), &step)
        case .foreign:
            apply(
                uploads.refused(
                    number, .sessionEnded, code: FailureCode.otherAccount, detail: Self.foreignDetail), &step)
        case .interrupted: apply(uploads.interrupted(number), &step)
        }
    }

    /// The server has the file: the message is sent when it is its turn.
    private mutating func uploaded(_ number: Int, _ receipt: String, _ step: inout OutboxStep) {
        guard let message = uploads.finished(number) else { return }
        step.write(.upload(message, .complete(receipt: receipt), at: step.clock.wall))
        step.commit()
        guard let slot = sendSlot(of: message) else { return }
        lanes[slot.lane].slots[slot.index].upload?.state = .complete(receipt: receipt)
        dispatch(slot.lane, &step)
    }

    // MARK: - Failures

    private mutating func uploadFailed(_ number: Int, _ error: TransportError, _ step: inout OutboxStep) {
        switch error {
        case .unreachable(let detail):
            apply(uploads.interrupted(number), &step)
            goOffline(detail, step.clock)
        case .notSent:
            let until = step.clock.now + jittered(configuration.probeInterval)
            apply(uploads.interrupted(number, until: until), &step)
        case .rateLimited(let after, _):
            let pause = min(max(after, configuration.rateLimitWaitMin), configuration.rateLimitWaitMax)
            uploads.hold(until: step.clock.now + pause)
            apply(uploads.interrupted(number), &step)
        case .actionRequired(let actionRequired):
            apply(uploads.interrupted(number), &step)
            requireAction(actionRequired, step.clock)
        case .historyChanged, .storeForked:
            // The probe, or the next delivery, finds out which history or copy it is.
            let until = step.clock.now + jittered(configuration.probeInterval)
            apply(uploads.interrupted(number, until: until), &step)
            startProbe(&step)
        case .transient(let code, let detail), .serverFailed(let code, let detail):
            countUpload(number, code: code, detail: detail, &step)
        case .inDoubt(let detail): uploadCut(number, detail, &step)
        case .refused(let code, let detail): uploadRefused(number, code: code, detail: detail, &step)
        }
    }

    private mutating func countUpload(
        _ number: Int, code: String, detail: String, dropsSession: Bool = false, _ step: inout OutboxStep
    ) {
        let attempts = uploads.message(of: number).flatMap { uploads.entry(of: $0)?.attempts } ?? 1
        let pause = jittered(configuration.retry.pause(afterAttempts: attempts))
        let verdict = uploads.failed(
            number, code: code, detail: detail, retriesMax: configuration.retry.retriesMax,
            dropsSession: dropsSession
        ) { _, _ in step.clock.now + pause }
        apply(verdict, &step)
    }

    /// The connection broke: the upload continues at once where the server is, unless that has just failed.
    private mutating func uploadCut(_ number: Int, _ detail: String, _ step: inout OutboxStep) {
        let attempts = uploads.message(of: number).flatMap { uploads.entry(of: $0)?.attempts } ?? 1
        let pause = jittered(configuration.retry.pause(afterAttempts: attempts))
        var isCut = true
        let verdict = uploads.failed(
            number, code: "noAnswer", detail: detail, retriesMax: configuration.retry.retriesMax
        ) { attempts, hadProgress in
            isCut = !hadProgress && attempts > 1
            return isCut ? step.clock.now + pause : nil
        }
        if case .retry = verdict, !isCut { return apply(verdict, &step) }
        apply(verdict, &step)
        if verdict != nil { goOffline(detail, step.clock) }
    }

    private mutating func uploadRefused(
        _ number: Int, code: String, detail: String, _ step: inout OutboxStep
    ) {
        switch UploadRefusal(code: code) {
        case .sessionGone: countUpload(number, code: code, detail: detail, dropsSession: true, &step)
        case .mismatch: apply(uploads.mismatched(number, code: code, detail: detail), &step)
        case .outOfStep: countUpload(number, code: code, detail: detail, &step)
        case .final: apply(uploads.refused(number, code: code, detail: detail), &step)
        }
    }

    private mutating func apply(_ verdict: UploadQueue.Verdict?, _ step: inout OutboxStep) {
        if let verdict { resolve([verdict], &step) }
    }

    /// Commits verdicts, and then lets the lanes continue: a message of which the queue has just given up the upload
    /// must not be sent for the failure of another.
    private mutating func resolve(_ verdicts: [UploadQueue.Verdict], _ step: inout OutboxStep) {
        var freed: [Int] = []
        for verdict in verdicts {
            switch verdict {
            case .retry(let message, _, let attempts, let session):
                step.write(.upload(message, .requeue(session: session, attempts: attempts), at: step.clock.wall))
            case .failed(let message, let reason, let code, let detail):
                guard let slot = sendSlot(of: message) else { continue }
                let failure = finalFailure(
                    of: lanes[slot.lane].slots[slot.index], reason, code: code,
                    detail: "its attachment was not uploaded: \(detail)", at: step.clock)
                failUnsent(slot.lane, slot.index, failure, &step)
                if !freed.contains(slot.lane) { freed.append(slot.lane) }
            }
        }
        step.commit()
        for lane in freed { dispatch(lane, &step) }
    }

    // MARK: - End

    /// Ends the upload of a message that needs it no longer; what the server has of it is kept, unless it is
    /// abandoned.
    mutating func endUpload(of message: MessageID, isAbandoned: Bool, _ step: inout OutboxStep) {
        guard let attempt = uploads.remove(message).attempt else { return }
        step.perform(.cancelUpload(attempt, isAbandoned: isAbandoned))
    }

    /// Takes back every attempt under way, before the store determines the contents of the outbox.
    mutating func interruptUploads(_ step: inout OutboxStep) {
        for number in uploads.attemptsUnderWay {
            apply(uploads.interrupted(number), &step)
            step.perform(.cancelUpload(number, isAbandoned: false))
        }
    }

    /// The upload of a slot's attachment as the store has it.
    func upload(of slot: OutboxLane.Slot) -> AttachmentUpload? {
        guard var upload = slot.upload else { return nil }
        if let entry = uploads.entry(of: slot.message), entry.sequence == slot.sequence {
            upload.state = .pending(session: entry.session, attempts: entry.attempts)
        }
        return upload
    }

    /// The reason why a message with a pending upload waits; `nil` for any other message.
    func uploadReason(of slot: OutboxLane.Slot, at clock: ClockReading) -> WaitReason? {
        guard let sent = uploads.sent(of: slot.message) else { return nil }
        if let until = uploads.hold(of: slot.message), until > clock.now {
            return .rateLimited(until: clock.wall(at: until))
        }
        if let retry = uploads.retry(of: slot.message), retry.until > clock.now {
            return .backingOff(until: clock.wall(at: retry.until), attempts: retry.attempts)
        }
        return .uploading(sent: sent, total: slot.upload?.total ?? 0)
    }
}

/// The meaning of a server's refusal of an upload, by its code.
private enum UploadRefusal {
    /// The session has expired or is over: the upload begins again.
    case sessionGone
    /// The bytes that arrived are not those of the file.
    case mismatch
    /// Another request for the session was faster: the upload continues from the server's offset.
    case outOfStep
    /// The file is refused.
    case final

    init(code: String) {
        switch code {
        case "sessionUnknown", "uploadNotFound", "completedUpload": self = .sessionGone
        case "hashMismatch": self = .mismatch
        case "mismatchingOffset", "uploadSuperseded": self = .outOfStep
        default: self = .final
        }
    }
}
