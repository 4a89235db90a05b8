import CausewayModels
package import Logging

/// The lines that a client logs: the session, the connection, required actions and trouble, each change once. Pure.
///
/// No line contains a token or the content of a message.
struct StatusLog {
    struct Line: Equatable {
        var level: Logger.Level
        var text: String
        var metadata: Logger.Metadata = [:]
    }

    private let includesCommits: Bool
    private var last: SyncStatus?

    /// - Parameter includesCommits: whether sessions and failed deliveries are logged; false where another log reports
    ///   each of them from the store's commits.
    init(includesCommits: Bool) { self.includesCommits = includesCommits }

    /// The lines for the first status, or for the differences to the one before.
    mutating func lines(for status: SyncStatus) -> [Line] {
        defer { last = status }
        return sessionLines(status) + connectionLines(status) + troubleLines(status)
    }

    private func sessionLines(_ status: SyncStatus) -> [Line] {
        guard last == nil || last?.session?.id != status.session?.id else { return [] }
        if !includesCommits, last != nil || status.session != nil { return [] }
        guard let session = status.session else {
            if last == nil { return [Line(level: .notice, text: "not logged in")] }
            return [Line(level: .info, text: "logged out")]
        }
        let metadata: Logger.Metadata = ["user": "\(session.user)", "server": "\(session.server)"]
        return [Line(level: .info, text: "logged in", metadata: metadata)]
    }

    private func connectionLines(_ status: SyncStatus) -> [Line] {
        var lines: [Line] = []
        if last?.connectivity.name ?? Connectivity.unknown.name != status.connectivity.name {
            var metadata: Logger.Metadata = [
                "state": "\(status.connectivity.name)", "undelivered": "\(status.counts.undelivered)",
            ]
            if case .offline(let detail, _, _) = status.connectivity { metadata["detail"] = "\(detail)" }
            lines.append(Line(level: .info, text: "connection changed", metadata: metadata))
        }
        if last?.isPaused ?? false != status.isPaused {
            lines.append(Line(level: .info, text: status.isPaused ? "sending paused" : "sending resumed"))
        }
        if last?.actionRequired != status.actionRequired {
            if let action = status.actionRequired {
                lines.append(
                    Line(
                        level: .warning, text: "action required",
                        metadata: ["cause": "\(action.cause.rawValue)", "detail": "\(action.detail)"]))
            } else {
                lines.append(Line(level: .notice, text: "action no longer required"))
            }
        }
        return lines
    }

    private func troubleLines(_ status: SyncStatus) -> [Line] {
        var lines: [Line] = []
        if last?.storeProblem != status.storeProblem {
            if let problem = status.storeProblem {
                lines.append(Line(level: .error, text: "store failed", metadata: ["detail": "\(problem)"]))
            } else {
                lines.append(Line(level: .notice, text: "store recovered"))
            }
        }
        let former = last?.counts.error ?? 0
        if includesCommits, status.counts.error > former {
            lines.append(
                Line(level: .warning, text: "deliveries failed", metadata: ["failed": "\(status.counts.error)"]))
        }
        for notice in status.notices where last?.notices.contains(notice) != true {
            lines.append(
                Line(
                    level: .notice, text: "sync notice",
                    metadata: ["kind": "\(notice.kind.rawValue)", "detail": "\(notice.detail)"]))
        }
        return lines
    }
}

extension Connectivity {
    /// The state without its details.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .offline: "offline"
        case .settling: "settling"
        case .online: "online"
        }
    }
}

extension StatusChanges {
    /// Logs the changes until the client is closed or the task is cancelled.
    ///
    /// - Parameter includesCommits: whether sessions and failed deliveries are logged, too.
    package func log(to logger: Logger, includesCommits: Bool = true) async {
        var log = StatusLog(includesCommits: includesCommits)
        for await status in self {
            for line in log.lines(for: status) {
                logger.log(level: line.level, "\(line.text)", metadata: line.metadata)
            }
        }
    }
}
