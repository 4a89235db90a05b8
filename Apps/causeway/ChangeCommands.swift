import ArgumentParser
import Causeway
import CausewayControl

struct Resend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put failed messages back into the queue, in their old order, under their old ids.",
        discussion: "Messages that have not failed are left alone and told; the exit status is then 2.")

    @Argument(help: "The messages' ids.") var ids: [MessageID] = []
    @Flag(help: "All failed messages.") var all = false
    @Option(help: "With --all: only this channel's.") var channel: ChannelID?
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if all == !ids.isEmpty { throw ValidationError("Name messages, or all of them with --all.") }
        if channel != nil, !all { throw ValidationError("--channel belongs to --all.") }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            if all {
                let report = try await route.service.resendFailed(in: channel)
                try console.answer(report) { _ in ["\(Counted.messages(report.count)) back in the queue"] }
                return .ok
            }
            let report = try await Chosen.report(ids) { ids throws(ControlError) in
                try await route.service.resend(ids)
            }
            try console.answer(report) { _ in ["\(Counted.messages(report.count)) back in the queue"] }
            return Chosen.status(report, of: ids, "had not failed, or is not there", console)
        }
    }
}

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete messages, wherever they are; each deletion is recorded.",
        discussion: """
            A queued message never leaves; one on its way is followed by a deletion; one on the server is deleted
            there, through the outbox.
            """)

    @Argument(help: "The messages' ids.") var ids: [MessageID]
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let report = try await Chosen.report(ids) { ids throws(ControlError) in
                try await route.service.delete(ids, by: .cli)
            }
            try console.answer(report) { _ in ["Deleted \(Counted.messages(report.count))"] }
            return Chosen.status(report, of: ids, "is not there", console)
        }
    }
}

struct DeleteFailed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-failed", abstract: "Delete all failed messages; asks first on a terminal.")

    @Option(help: "Only this channel's.") var channel: ChannelID?
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            if !yes {
                guard console.terminal.isInputTerminal, console.terminal.isErrorTerminal else {
                    throw ControlError(.badRequest, "this deletes messages for good; say --yes")
                }
                let count = try await route.service.status().counts.error
                let which = channel.map { " of \($0)" } ?? ", \(count) in all,"
                guard console.confirm("Delete the failed messages\(which) for good?") else {
                    console.note("nothing was deleted")
                    return .ok
                }
            }
            let report = try await route.service.deleteFailed(in: channel, by: .cli)
            try console.answer(report) { _ in ["Deleted \(Counted.messages(report.count))"] }
            return .ok
        }
    }
}

/// Requests about messages that were named.
private enum Chosen {
    /// Asks in parts, when there are too many for one request.
    static func report(
        _ ids: [MessageID], _ ask: ([MessageID]) async throws(ControlError) -> ChangeReport
    ) async throws(ControlError) -> ChangeReport {
        var done: [MessageID] = []
        var rest = ids[...]
        while !rest.isEmpty {
            done += try await ask(Array(rest.prefix(ControlLimits.idsPerRequestMax))).ids ?? []
            rest = rest.dropFirst(ControlLimits.idsPerRequestMax)
        }
        return ChangeReport(ids: done)
    }

    static func status(
        _ report: ChangeReport, of ids: [MessageID], _ problem: String, _ console: Console
    ) -> ExitStatus {
        let done = Set(report.ids ?? [])
        let left = Set(ids).subtracting(done)
        for id in ids where left.contains(id) { console.note("message \(id) \(problem)") }
        if left.isEmpty { return .ok }
        return done.isEmpty ? .notFound : .partly
    }
}

private enum Counted {
    static func messages(_ count: Int) -> String { count == 1 ? "1 message" : "\(count) messages" }
}
