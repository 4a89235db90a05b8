package import ArgumentParser

extension ParsableCommand {
    /// Parses the arguments and runs the command that they name; ends the process when that fails.
    ///
    /// - Parameter reportUsage: prints a usage error of a command with `--json`, which ends with 64 like any other.
    package static func run(_ arguments: [String], reportUsage: (String) -> Void) async {
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let isWrongUsage = !(error is ExitCode) && exitCode(for: error) == .validationFailure
            guard isWrongUsage, arguments.prefix(while: { $0 != "--" }).contains("--json") else {
                exit(withError: error)
            }
            reportUsage(message(for: error))
            exit(withError: ExitCode.validationFailure)
        }
    }
}
