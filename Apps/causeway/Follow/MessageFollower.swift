import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayTerminal

/// `causeway messages --follow`: shows the newest messages of a channel and every change, until the user ends it.
struct MessageFollower {
    let query: FollowQuery
    let console: Console

    /// The reason for the end, other than an error.
    enum Ending: Sendable, Hashable {
        case quit
        /// This signal: the program ends by it after everything is closed.
        case signal(Int32)

        /// Ends the process if a signal was the reason; then it does not return.
        func finish() {
            if case .signal(let signal) = self { TerminalScreen.end(by: signal) }
        }
    }

    func run(_ service: any ControlService) async throws(ControlError) -> Ending {
        do {
            if console.terminal.isTerminal, !console.json { return try await onScreen(service) }
            return try await inLines(service)
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.internalError, "following ended: \(error)")
        }
    }

    // MARK: - A screen

    private func onScreen(_ service: any ControlService) async throws -> Ending {
        let screen = try TerminalScreen(hasColours: console.terminal.hasColours)
        defer { screen.leave() }
        let view = FollowView(channel: query.channel.value, screen: screen)
        return try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask { [query] in
                try await service.follow(query) { try await view.show($0) }
                return .quit
            }
            group.addTask {
                for await event in screen.events {
                    if let ending = await view.react(to: event) { return ending }
                }
                return .quit
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .quit
        }
    }

    // MARK: - Lines

    private func inLines(_ service: any ControlService) async throws -> Ending {
        var lines = FollowLines(isJSON: console.json)
        try await service.follow(query) { event in
            let (text, problem) = try lines.lines(for: event)
            if let problem { console.note(problem) }
            try console.write(text)
        }
        return .quit
    }
}
