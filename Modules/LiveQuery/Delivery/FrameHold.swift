import Synchronization

/// Holds the frames of all windows back while a response of the server is being stored, so that its records and the
/// status that results from it appear in one update.
///
/// Begun immediately before the store is written, and ended when the request ends: for the duration of a commit, and no
/// longer than ``LiveLimits/frameHoldMax``. All windows are held, not only the one that made the request, so
/// that no two of them show different versions. Nothing waits for a hold: a pass that must not publish leaves that to
/// the pass that the end of the hold causes.
package final class FrameHold: Sendable {
    private let inbox: LiveInbox
    private let wake: @Sendable () -> Void
    private let isActive = Atomic<Bool>(false)

    init(_ inbox: LiveInbox, wake: @escaping @Sendable () -> Void) {
        self.inbox = inbox
        self.wake = wake
    }

    /// Must be called before the commit. Does nothing if it is active already.
    package func begin() {
        if !isActive.exchange(true, ordering: .acquiringAndReleasing) { inbox.beginHold() }
    }

    /// To be called before the request does anything else that takes time. May be begun again.
    package func end() {
        if take() { wake() }
    }

    /// Ends it without a wake-up, for a caller that submits a job anyway.
    ///
    /// - Returns: true if it was active; the router then counts it as ended when it performs the job.
    func take() -> Bool { isActive.exchange(false, ordering: .acquiringAndReleasing) }
}
