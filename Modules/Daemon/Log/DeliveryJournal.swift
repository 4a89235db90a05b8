package import Causeway
import Synchronization

/// The events of a store's commits that the daemon's log reports, in commit order.
///
/// ``note(_:)`` is called on the store's committing thread and only classifies; ``DeliveryLogService`` writes the log
/// elsewhere. Bounded: a log that falls far behind loses events and reports their number.
package final class DeliveryJournal: Sendable {
    /// The reportable events of one commit.
    struct Page: Sendable, Equatable {
        /// A message, an edit or a reaction.
        struct Item: Sendable, Equatable {
            let id: OperationID
            /// The message that an edit or a reaction concerns; `nil` for a message.
            let target: MessageID?
            let channel: ChannelID
        }

        struct Failed: Sendable, Equatable {
            let item: Item
            let failure: Failure
        }

        struct Retried: Sendable, Equatable {
            let item: Item
            let attempts: Int
            var count: Int
        }

        struct Changed: Sendable, Equatable {
            let item: Item
            let from: SyncState?
            /// `nil` when it was deleted.
            let to: SyncState?
        }

        /// The first ``DaemonLimits/logLinesPerCommitMax`` messages that failed for good.
        var failed: [Failed] = []
        /// The number of further messages that failed.
        var moreFailedCount = 0
        /// An attempt that ended without success and will be repeated.
        var retried: Retried?
        /// Every change of a state; filled only when the log is detailed.
        var changed: [Changed] = []
        var sessions: [Session] = []
        /// True when more changed than the commit lists, because a session ended.
        var isReset = false
        /// Pages that were lost before this one.
        var lostBefore = 0

        var isEmpty: Bool { self == Page() }
    }

    let pages: AsyncStream<Page>
    private let input: AsyncStream<Page>.Continuation
    private let isDetailed: Bool
    private let lost = Mutex(0)

    /// - Parameter isDetailed: whether every change of a state is reported.
    package init(isDetailed: Bool) {
        self.isDetailed = isDetailed
        (pages, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(DaemonLimits.logCommitsMax))
    }

    /// Ends ``pages`` after everything noted so far.
    func finish() { input.finish() }

    package func note(_ commit: StoreCommit) {
        var page = Page()
        page.isReset = commit.isReset
        for change in commit.changes {
            switch change {
            case .message(let before, let after, _): note(before, after, in: &page)
            case .operation(let before, let after, _): note(before, after, in: &page)
            case .session(let session): page.sessions.append(session)
            case .marker, .record, .deleteAction: break
            }
        }
        guard !page.isEmpty else { return }
        lost.withLock { lost in
            page.lostBefore = lost
            if case .enqueued = input.yield(page) { lost = 0 } else { lost += 1 }
        }
    }

    private func note<Item: Deliverable>(_ before: Item?, _ after: Item?, in page: inout Page) {
        guard let item = after ?? before, item.lane != nil else { return }
        let (former, latter) = (before?.syncState, after?.syncState)
        guard former != latter else { return }
        if isDetailed, page.changed.count < DaemonLimits.logLinesPerCommitMax {
            page.changed.append(Page.Changed(item: Page.Item(item), from: former, to: latter))
        }
        guard let after else { return }
        if latter == .error, let failure = after.failure {
            // A commit that ends a session does not list every message that it fails; the log reads them after the
            // reset.
            if page.isReset, failure.reason == .sessionEnded { return }
            guard page.failed.count < DaemonLimits.logLinesPerCommitMax else {
                page.moreFailedCount += 1
                return
            }
            page.failed.append(Page.Failed(item: Page.Item(after), failure: failure))
        } else if former == .syncing, latter == .created, after.attempts > 0,
            after.attempts == before?.attempts
        {
            if page.retried == nil {
                page.retried = Page.Retried(item: Page.Item(after), attempts: after.attempts, count: 0)
            }
            page.retried?.count += 1
        }
    }
}

extension DeliveryJournal.Page.Item {
    init(_ item: some Deliverable) {
        self.init(id: item.id, target: item.createsMessage ? nil : item.related, channel: item.channel)
    }
}
