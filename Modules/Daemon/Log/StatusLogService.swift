import Causeway
import CausewayControlAPI
import Logging
import ServiceLifecycle

/// Logs the connection, required actions and disk trouble: the state at the start, then each change once.
struct StatusLogService: Service {
    private struct Seen: Equatable {
        var link: String
        var actionRequired: String?
        var storeProblem: String?
        var notices: [SyncNotice]?
    }

    private static let interval: Duration = .seconds(1)

    let service: any ControlService
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var seen: Seen?
            while !Task.isCancelled {
                if let status = try? await service.status() {
                    let now = Seen(
                        link: status.connectivity.state, actionRequired: status.attention?.detail,
                        storeProblem: status.storeProblem, notices: status.notices)
                    if seen == nil, status.session == nil { logger.notice("not logged in") }
                    // Nothing is logged while the state is unknown; from then on each change is one line.
                    report(status, from: seen ?? Seen(link: "unknown"), to: now)
                    notice(now.notices, unless: seen?.notices)
                    seen = now
                }
                try await Task.sleep(for: Self.interval)
            }
        }
    }

    private func report(_ status: StatusResponse, from former: Seen, to now: Seen) {
        if former.link != now.link {
            var metadata: Logger.Metadata = ["state": "\(now.link)", "undelivered": "\(status.counts.undelivered)"]
            if let detail = status.connectivity.detail { metadata["detail"] = "\(detail)" }
            logger.info("connection changed", metadata: metadata)
        }
        if former.actionRequired != now.actionRequired {
            if now.actionRequired == nil {
                logger.notice("action no longer required")
            } else {
                actionRequired(status)
            }
        }
        if former.storeProblem != now.storeProblem {
            if let problem = now.storeProblem {
                logger.error("store failed", metadata: ["detail": "\(problem)"])
            } else {
                logger.notice("store recovered")
            }
        }
    }

    private func notice(_ notices: [SyncNotice]?, unless former: [SyncNotice]?) {
        for notice in notices ?? [] where former?.contains(notice) != true {
            logger.notice("sync notice", metadata: ["kind": "\(notice.kind.rawValue)", "detail": "\(notice.detail)"])
        }
    }

    private func actionRequired(_ status: StatusResponse) {
        guard let actionRequired = status.attention else { return }
        logger.warning(
            "action required",
            metadata: ["cause": "\(actionRequired.cause.rawValue)", "detail": "\(actionRequired.detail)"])
    }
}
