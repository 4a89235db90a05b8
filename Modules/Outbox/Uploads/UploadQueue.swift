package import CausewayModels
import DequeModule

/// The attachments that messages of the outbox wait for: decides which of them are uploaded when, and what a failed
/// upload means.
///
/// A value without clock, task, socket or disk, as ``Outbox`` is: every input returns what is to be done next, and the
/// driver reports the results.
///
/// # Guarantees
///
/// **Order.** Uploads begin in the order in which their messages were created, over all lanes, and at most
/// `uploadsMax` run at once. One that waits for its retry takes no place; it begins before all that were created
/// after it once its time has come. Uploads finish in any order: the lanes keep the order of the messages
/// (``firstPending(in:)``), so that a small file is not held up by a large one in front of it.
///
/// **Attempts.** An attempt is counted before it begins, so that a crash loop is seen. It is refunded if nothing can be
/// said about the upload: the server is unreachable or asks to wait, an action is required, the client stopped it. The
/// first byte that the server confirms in an attempt starts the count again: a large file over a link that breaks now
/// and then needs as many attempts as it needs, and so does one whose process is killed now and then.
///
/// **Sessions.** An upload continues where the server's session is. A session that the server does not know any longer,
/// or whose bytes did not match, is dropped, and the upload begins again.
///
/// **Limits of the server.** If it asks to wait, no upload begins before that time; deliveries are not concerned.
///
/// **Cost.** O(log n) for each input, n the number of pending uploads.
///
/// # Invariants
///
/// ``violations`` checks them: each pending upload is in exactly one of the three sets of its state, no more than
/// `uploadsMax` began while that was the limit, and every number of an attempt is used once.
package struct UploadQueue: Sendable, Hashable {
    /// One attempt to upload an attachment.
    package struct Attempt: Sendable, Hashable {
        /// Unique within one run of the process; results of earlier attempts are recognised by it.
        package var number: Int
        package var message: MessageID
        /// The server's name of the session to resume; `nil` to open one.
        package var session: String?
        /// The attempts counted so far, with this one.
        package var attempts: Int
    }

    /// A message's attachment that is not on the server yet, as the store has it.
    package struct Entry: Sendable, Hashable {
        package var message: MessageID
        package var lane: LaneID
        /// The sequence of the message in its lane: it orders creation over all lanes.
        package var sequence: Int64
        package var attempts: Int
        package var session: String?

        package init(
            message: MessageID, lane: LaneID, sequence: Int64, attempts: Int = 0, session: String? = nil
        ) {
            self.message = message
            self.lane = lane
            self.sequence = sequence
            self.attempts = attempts
            self.session = session
        }
    }

    /// The state of an upload.
    ///
    /// ```
    ///            a place is free             the server has the file
    ///   waiting ────────────────▶ running ───────────────────────────▶ removed
    ///      ▲                         │ failed: a retry is left            ▲
    ///      │       time has come     ▼                                    │
    ///      └────────────────────  holding              failed for good, message deleted
    /// ```
    enum State: Sendable, Hashable {
        /// It begins as soon as there is a place.
        case waiting
        /// Under way from `offset` on; `hasProgress` once the server has confirmed a byte beyond it.
        case running(number: Int, offset: Int64, hasProgress: Bool)
        /// It failed, and waits for its next attempt.
        case holding(until: MonotonicTime)
    }

    struct Upload: Sendable, Hashable {
        var entry: Entry
        var state: State
        /// Bytes that the server has confirmed.
        var sent: Int64 = 0
        /// True once the server refused the bytes as a whole: a second time is final.
        var hasMismatched = false
    }

    /// The remains of an upload that is no longer needed.
    package struct Removal: Sendable, Hashable {
        /// The attempt under way, which the driver cancels.
        package var attempt: Int?
        /// The session, which the driver cancels on the server.
        package var session: String?

        package init(attempt: Int? = nil, session: String? = nil) {
            self.attempt = attempt
            self.session = session
        }
    }

    /// A decision about an upload that failed.
    package enum Verdict: Sendable, Equatable {
        /// It is tried again at this time, or as soon as there is a place; so many attempts have been counted. Stored.
        case retry(MessageID, until: MonotonicTime?, attempts: Int, session: String?)
        /// It failed for good, and its message with it.
        case failed(MessageID, Failure.Reason, code: String, detail: String)
    }

    var uploads: [MessageID: Upload] = [:]
    /// Waiting uploads by sequence.
    var waiting: Deque<UploadKey> = []
    /// The messages of the attempts under way, by number.
    var running: [Int: MessageID] = [:]
    /// Holding uploads by the time at which they continue.
    var holding: Deque<HoldKey> = []
    /// Pending uploads of each lane by sequence.
    var byLane: [LaneID: Deque<UploadKey>] = [:]
    /// Nothing begins before this time, at the server's request.
    var heldUntil: MonotonicTime?
    /// The number of the next attempt.
    package var nextNumber = 1

    package init() {}
}

extension UploadQueue {
    /// The oldest message of a lane whose attachment is not on the server: it and all behind it wait. O(1).
    package func firstPending(in lane: LaneID) -> (message: MessageID, sequence: Int64)? {
        byLane[lane]?.first.map { ($0.message, $0.sequence) }
    }

    /// The time at which ``begin(uploadsMax:at:)`` has something to do again; `nil` if nothing waits for time to pass.
    package var nextDeadline: MonotonicTime? {
        guard let heldUntil else { return holding.first?.until }
        return waiting.isEmpty && holding.isEmpty ? nil : heldUntil
    }

    /// The number of uploads that are not complete.
    package var count: Int { uploads.count }

    /// The numbers of the attempts under way, oldest first.
    package var attemptsUnderWay: [Int] { running.keys.sorted() }

    /// The pending upload of a message as it is stored; `nil` unless there is one.
    package func entry(of message: MessageID) -> Entry? { uploads[message]?.entry }

    /// The message of an attempt under way; `nil` for one that is over.
    package func message(of number: Int) -> MessageID? { running[number] }

    /// The messages whose uploads begin as soon as there is a place, oldest first.
    package var waitingMessages: [MessageID] { waiting.map(\.message) }

    /// The bytes that the server has of a pending upload, as far as this run of the process knows; `nil` unless there
    /// is one.
    package func sent(of message: MessageID) -> Int64? { uploads[message]?.sent }

    /// The time before which an upload does not begin at the server's request; `nil` without one, for an attempt under
    /// way, and for an upload whose own retry is later.
    package func hold(of message: MessageID) -> MonotonicTime? {
        guard let heldUntil, let upload = uploads[message] else { return nil }
        switch upload.state {
        case .waiting: return heldUntil
        case .holding(let until): return until > heldUntil ? nil : heldUntil
        case .running: return nil
        }
    }

    /// The time of the next attempt, and the attempts that failed; `nil` unless the upload waits for its retry.
    package func retry(of message: MessageID) -> (until: MonotonicTime, attempts: Int)? {
        guard let upload = uploads[message], case .holding(let until) = upload.state else { return nil }
        return (until, upload.entry.attempts)
    }
}

extension UploadQueue.Upload {
    /// True if the server confirmed a byte in the attempt under way.
    var hasProgress: Bool {
        if case .running(_, _, let hasProgress) = state { hasProgress } else { false }
    }
}

extension UploadQueue.Entry {
    var key: UploadKey { UploadKey(sequence: sequence, message: message) }
}

/// The place of an upload in the order of creation.
struct UploadKey: Sendable, Hashable, Comparable {
    var sequence: Int64
    var message: MessageID

    /// No two messages have one sequence.
    static func < (left: UploadKey, right: UploadKey) -> Bool { left.sequence < right.sequence }
}

/// The place of an upload in the order of the retries.
struct HoldKey: Sendable, Hashable, Comparable {
    var until: MonotonicTime
    var key: UploadKey

    static func < (left: HoldKey, right: HoldKey) -> Bool {
        (left.until, left.key) < (right.until, right.key)
    }
}
