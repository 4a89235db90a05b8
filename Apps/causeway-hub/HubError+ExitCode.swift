import ArgumentParser
import CausewayHub
import CausewaySystem

/// Runs a command and turns its error into a line on standard error and the documented exit code.
func failing(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as HubError {
        complain("\(error)")
        throw error.exitCode
    } catch OutputError.closed {
        ProcessEnd.byClosedOutput()
    } catch let error as OutputError {
        complain("standard output cannot be written: \(error)")
        throw ExitCode(74)
    }
}

private func complain(_ text: String) {
    try? OutputHandle.standardError.write("causeway-hub: \(VisibleText.oneLine(text))\n")
}

/// Prints a line of the result.
func say(_ line: String) throws(OutputError) { try OutputHandle.standardOutput.write(line + "\n") }

extension HubError {
    var exitCode: ExitCode {
        switch self {
        case .notSetUp, .unknownAccount, .unknownChannel: ExitCode(66)
        case .cannotListen: ExitCode(69)
        case .alreadySetUp, .taken, .channelInUse: ExitCode(73)
        case .io, .outcomeUnknown, .full, .damaged, .newerSchema, .tooMany: ExitCode(74)
        case .inUse, .busy, .recovering: ExitCode(75)
        case .configuration: ExitCode(78)
        case .badName: ExitCode(64)
        }
    }
}
