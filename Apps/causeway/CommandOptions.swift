import ArgumentParser
import CausewayAdapters
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayDaemon
import CausewaySystem
import Foundation

/// The options that all commands share, and the steps of running one.
struct CommandOptions: ParsableArguments {
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Settings") var settings: SettingsOptions

    /// Runs a command: finds the route to the store, and turns the outcome into an exit status. Notices of a process
    /// that had the store itself are printed on standard error at the end, whatever the outcome.
    ///
    /// - Parameter showsNotices: false for a command whose result contains them.
    func run(
        showsNotices: Bool = true, _ body: (ControlEndpoint, Console) async throws(ControlError) -> ExitStatus
    ) async throws {
        try await reporting { console throws(ControlError) in
            let route = try await ControlEndpoint.find(settings.resolved(), adapters: .system) { problem in
                console.note("waiting for the store: \(problem.detail)")
            }
            do throws(ControlError) {
                let status = try await body(route, console)
                await close(route, showsNotices ? console : nil)
                return status
            } catch {
                await close(route, showsNotices ? console : nil)
                throw error
            }
        }
    }

    /// - Parameter console: prints the notices; `nil` for none.
    private func close(_ route: ControlEndpoint, _ console: Console?) async {
        if let console {
            for notice in await route.notices() { console.note(notice) }
        }
        await route.close()
    }

    /// Runs a command that needs no store.
    func reporting(_ body: (Console) async throws(ControlError) -> ExitStatus) async throws {
        let console = Console(json: json)
        let status: ExitStatus
        do throws(ControlError) {
            status = try await body(console)
        } catch {
            console.report(error)
            if error.code == .outputClosed { ProcessEnd.byClosedOutput() }
            throw ExitCode(error.code.exitStatus.rawValue)
        }
        if status != .ok { throw ExitCode(status.rawValue) }
    }
}

/// A duration as the value of an option.
struct TimeLimit: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = DurationText.duration(argument) else { return nil }
        self.duration = duration
    }
}
