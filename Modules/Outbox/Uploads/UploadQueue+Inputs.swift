package import CausewayModels
import DequeModule

/// The inputs of the queue, a method each.
extension UploadQueue {
    /// A message that needs its attachment on the server entered the queue, or was resent under another sequence.
    package mutating func insert(_ entry: Entry) {
        remove(entry.message)
        uploads[entry.message] = Upload(entry: entry, state: .waiting)
        waiting.insertSorted(entry.key)
        byLane[entry.lane, default: []].insertSorted(entry.key)
    }

    /// The message no longer needs the upload: it was deleted, it failed, or the server has it by another way.
    ///
    /// - Returns: what the driver cancels.
    @discardableResult
    package mutating func remove(_ message: MessageID) -> Removal {
        guard let upload = uploads.removeValue(forKey: message) else { return Removal() }
        leave(upload)
        let lane = upload.entry.lane
        byLane[lane]?.removeSorted(upload.entry.key)
        if byLane[lane]?.isEmpty == true { byLane[lane] = nil }
        var removal = Removal(session: upload.entry.session)
        if case .running(let number, _, _) = upload.state { removal.attempt = number }
        return removal
    }

    /// Begins the attempts for which there is a place, oldest message first; each is counted, and stored before it
    /// leaves.
    ///
    /// - Parameters:
    ///   - uploadsMax: attempts that may be under way at once.
    ///   - retriesMax: attempts that may follow the first. One that has more was cut off by the end of the process each
    ///     time: it fails instead.
    package mutating func begin(
        uploadsMax: Int, retriesMax: Int, at now: MonotonicTime
    ) -> (begun: [Attempt], failed: [Verdict]) {
        if let heldUntil {
            if heldUntil > now { return ([], []) }
            self.heldUntil = nil
        }
        while let first = holding.first, first.until <= now {
            holding.removeFirst()
            uploads[first.key.message]?.state = .waiting
            waiting.insertSorted(first.key)
        }
        var begun: [Attempt] = []
        var failed: [Verdict] = []
        while running.count < uploadsMax, let key = waiting.first, var upload = uploads[key.message] {
            guard upload.entry.attempts <= retriesMax else {
                remove(key.message)
                failed.append(
                    .failed(
                        key.message, .retriesUsedUp, code: "interrupted",
                        detail: "the program ended during each attempt to upload its attachment"))
                continue
            }
            waiting.removeFirst()
            let number = nextNumber
            nextNumber += 1
            upload.entry.attempts += 1
            upload.state = .running(number: number, offset: upload.sent, hasProgress: false)
            uploads[key.message] = upload
            running[number] = key.message
            begun.append(
                Attempt(
                    number: number, message: key.message, session: upload.entry.session,
                    attempts: upload.entry.attempts))
        }
        return (begun, failed)
    }

    /// The server asked to wait: nothing begins before this time.
    package mutating func hold(until time: MonotonicTime) { heldUntil = max(heldUntil ?? time, time) }

    /// The queue was built anew from the store, which knows neither the pauses nor how far sessions came: those of the
    /// former one are kept.
    package mutating func keepPauses(of former: UploadQueue) {
        heldUntil = former.heldUntil
        for (message, old) in former.uploads {
            guard var upload = uploads[message], case .waiting = upload.state else { continue }
            upload.hasMismatched = old.hasMismatched
            if upload.entry.session == old.entry.session { upload.sent = old.sent }
            if case .holding(let until) = old.state {
                leave(upload)
                upload.state = .holding(until: until)
                holding.insertSorted(HoldKey(until: until, key: upload.entry.key))
            }
            uploads[message] = upload
        }
    }

    /// The attempts under way as they are stored at an orderly end of the run: they count as no failure.
    package var entriesToClose: [Entry] {
        attemptsUnderWay.compactMap { number in
            guard let message = running[number], let upload = uploads[message] else { return nil }
            var entry = upload.entry
            if !upload.hasProgress { entry.attempts = max(0, entry.attempts - 1) }
            return entry
        }
    }

    /// The server opened a session.
    ///
    /// - Returns: false for an attempt that is over: the session is not needed.
    package mutating func opened(_ session: String, by number: Int) -> Bool {
        guard let message = running[number] else { return false }
        uploads[message]?.entry.session = session
        return true
    }

    /// The server reported the offset from which an attempt continues: bytes of earlier attempts are no progress.
    package mutating func resumed(at offset: Int64, by number: Int) {
        guard let message = running[number], var upload = uploads[message] else { return }
        upload.state = .running(number: number, offset: offset, hasProgress: false)
        upload.sent = offset
        uploads[message] = upload
    }

    /// The server confirmed that it has this number of bytes.
    ///
    /// - Returns: the message if this is the attempt's first progress: no attempt is counted any longer, which is
    ///   stored.
    package mutating func progressed(to sent: Int64, by number: Int) -> MessageID? {
        guard let message = running[number], var upload = uploads[message],
            case .running(_, let offset, let hadProgress) = upload.state, sent > offset
        else { return nil }
        upload.state = .running(number: number, offset: offset, hasProgress: true)
        upload.sent = max(upload.sent, sent)
        upload.entry.attempts = 0
        uploads[message] = upload
        return hadProgress ? nil : message
    }

    /// The server has the file.
    ///
    /// - Returns: the message, which may be sent; `nil` for an attempt that is over.
    package mutating func finished(_ number: Int) -> MessageID? {
        guard let message = running[number] else { return nil }
        remove(message)
        return message
    }

    /// The attempt ended without a verdict on the upload, which is not to blame: the attempt is refunded.
    ///
    /// - Parameter until: the time of the next attempt; `nil` as soon as there is a place.
    package mutating func interrupted(_ number: Int, until: MonotonicTime? = nil) -> Verdict? {
        end(number, until: until) { upload, hadProgress in
            if !hadProgress { upload.entry.attempts = max(0, upload.entry.attempts - 1) }
        }
    }

    /// The attempt failed, and counts.
    ///
    /// - Parameters:
    ///   - until: the time of the next attempt if one is left, by the number of attempts counted so far and whether
    ///     this one had any progress; `nil` as soon as there is a place.
    ///   - dropsSession: true if the server does not know the session any longer.
    package mutating func failed(
        _ number: Int, code: String, detail: String, retriesMax: Int, dropsSession: Bool = false,
        until: (_ attempts: Int, _ hadProgress: Bool) -> MonotonicTime?
    ) -> Verdict? {
        guard let message = running[number], let upload = uploads[message] else { return nil }
        let attempts = upload.hasProgress ? 1 : upload.entry.attempts
        guard attempts <= retriesMax else {
            remove(message)
            return .failed(message, .retriesUsedUp, code: code, detail: detail)
        }
        return end(number, until: dropsSession ? nil : until(attempts, upload.hasProgress)) { upload, _ in
            upload.entry.attempts = attempts
            if dropsSession {
                upload.entry.session = nil
                upload.sent = 0
            }
        }
    }

    /// The server received all bytes, and they are not those of the file: once more from the start, in case a byte was
    /// damaged on the way. Only the second time counts.
    package mutating func mismatched(_ number: Int, code: String, detail: String) -> Verdict? {
        guard let message = running[number], let upload = uploads[message] else { return nil }
        guard !upload.hasMismatched else { return refused(number, code: code, detail: detail) }
        return end(number, until: nil) { upload, _ in
            upload.hasMismatched = true
            upload.entry.attempts = max(0, upload.entry.attempts - 1)
            upload.entry.session = nil
            upload.sent = 0
        }
    }

    /// The file was refused for good, by the server, or because it cannot be read here.
    package mutating func refused(
        _ number: Int, _ reason: Failure.Reason = .refused, code: String, detail: String
    ) -> Verdict? {
        guard let message = running[number] else { return nil }
        remove(message)
        return .failed(message, reason, code: code, detail: detail)
    }

    // MARK: - Transitions

    /// Ends an attempt, after which the upload continues later.
    private mutating func end(
        _ number: Int, until: MonotonicTime?, _ change: (inout Upload, _ hadProgress: Bool) -> Void
    ) -> Verdict? {
        guard let message = running[number], var upload = uploads[message] else { return nil }
        leave(upload)
        change(&upload, upload.hasProgress)
        if let until {
            upload.state = .holding(until: until)
            holding.insertSorted(HoldKey(until: until, key: upload.entry.key))
        } else {
            upload.state = .waiting
            waiting.insertSorted(upload.entry.key)
        }
        uploads[message] = upload
        return .retry(message, until: until, attempts: upload.entry.attempts, session: upload.entry.session)
    }

    /// Takes an upload out of the set of its state.
    private mutating func leave(_ upload: Upload) {
        switch upload.state {
        case .waiting: waiting.removeSorted(upload.entry.key)
        case .running(let number, _, _): running[number] = nil
        case .holding(let until): holding.removeSorted(HoldKey(until: until, key: upload.entry.key))
        }
    }
}
