package import Causeway
package import CausewayControlAPI
package import Logging
import ServiceLifecycle

/// Logs each failed delivery, each attempt that will be repeated, the sessions, and, at level `debug`, each change of a
/// message's state.
///
/// No line contains message text. Ends with its service group, after everything noted until then.
package struct DeliveryLogService: Service {
    private let journal: DeliveryJournal
    private let service: any ControlService
    private let logger: Logger
    private let startedAt: Timestamp

    /// - Parameter startedAt: the start of the run, before the store was started; the end of a session reports failures
    ///   from this time on.
    package init(journal: DeliveryJournal, service: any ControlService, logger: Logger, startedAt: Timestamp) {
        self.journal = journal
        self.service = service
        self.logger = logger
        self.startedAt = startedAt
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            var since = startedAt.milliseconds
            for await page in journal.pages {
                report(page)
                if page.isReset { await reportEndedSession(&since) }
            }
        } onGracefulShutdown: {
            journal.finish()
        }
    }

    private func report(_ page: DeliveryJournal.Page) {
        if page.lostBefore > 0 {
            logger.warning("changes not logged", metadata: ["reason": "too-many", "commits": "\(page.lostBefore)"])
        }
        for session in page.sessions {
            logger.info(
                session.isActive ? "session started" : "session ended",
                metadata: ["user": "\(session.user)", "server": "\(session.server)"])
        }
        for change in page.changed {
            var metadata = Self.metadata(of: change.item)
            metadata["from"] = "\(change.from?.rawValue ?? "none")"
            metadata["to"] = "\(change.to?.rawValue ?? "deleted")"
            logger.debug(
                change.item.target == nil ? "message changed" : "edit or reaction changed", metadata: metadata)
        }
        if let retried = page.retried {
            var metadata = Self.metadata(of: retried.item)
            metadata["attempts"] = "\(retried.attempts)"
            metadata["messages"] = "\(retried.count)"
            logger.info("delivery attempt failed", metadata: metadata)
        }
        for failed in page.failed {
            failure(FailureDTO(failed.failure), of: failed.item)
        }
        more(page.moreFailedCount)
    }

    /// Logs the messages that the end of a session failed: the commit does not list them, the list of failed messages
    /// does.
    private func reportEndedSession(_ since: inout Int64) async {
        var (shown, count, newest) = (0, 0, since - 1)
        var place: PageCursor?
        repeat {
            let range = PageRange(limit: Limits.pageSizeMax, after: place)
            guard let page = try? await service.failed(in: nil, range) else { break }
            for message in page.messages {
                guard let failed = message.failure, failed.reason == Failure.Reason.sessionEnded.rawValue,
                    failed.atMs >= since
                else { continue }
                newest = max(newest, failed.atMs)
                count += 1
                guard shown < DaemonLimits.logLinesPerCommitMax else { continue }
                shown += 1
                failure(
                    failed,
                    of: DeliveryJournal.Page.Item(
                        id: message.id, target: message.isChange ? message.related : nil, channel: message.channel))
            }
            place = page.next
        } while place != nil
        more(count - shown)
        since = newest + 1
    }

    private func failure(_ failure: FailureDTO, of item: DeliveryJournal.Page.Item) {
        var metadata = Self.metadata(of: item)
        metadata["reason"] = "\(failure.reason)"
        metadata["code"] = "\(failure.code)"
        metadata["detail"] = "\(failure.detail)"
        logger.warning(item.target == nil ? "message failed" : "edit or reaction failed", metadata: metadata)
    }

    /// The message and its channel; the operation, too, if an edit or a reaction of it is meant.
    private static func metadata(of item: DeliveryJournal.Page.Item) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["message": "\(item.target ?? item.id)", "channel": "\(item.channel)"]
        if item.target != nil { metadata["operation"] = "\(item.id)" }
        return metadata
    }

    private func more(_ count: Int) {
        guard count > 0 else { return }
        logger.warning("more deliveries failed", metadata: ["count": "\(count)", "hint": "causeway failed"])
    }
}
