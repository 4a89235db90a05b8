import ArgumentParser
import CausewayControlAPI
import CausewayHub
import CausewayHubStorage
import CausewayRecords
import CausewaySystem

/// Runs a command and turns its error into a line on standard error and the documented exit code.
func failing(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as HubError {
        complain("\(error)")
        throw ExitCode(error.exitStatus.rawValue)
    } catch OutputError.closed {
        ProcessEnd.byClosedOutput()
    } catch let error as OutputError {
        complain("standard output cannot be written: \(error)")
        throw ExitCode(ExitStatus.inputOutput.rawValue)
    }
}

private func complain(_ text: String) {
    try? OutputHandle.standardError.write("causeway-hub: \(VisibleText.oneLine(text))\n")
}

/// Prints a line of the result.
func say(_ line: String) throws(OutputError) { try OutputHandle.standardOutput.write(line + "\n") }

extension HubError {
    /// The exit status of a command that this error ended.
    var exitStatus: ExitStatus {
        switch self {
        case .notSetUp: .notFound
        case .cannotListen: .unavailable
        case .alreadySetUp: .cannotCreate
        case .io: .inputOutput
        case .inUse: .temporary
        case .configuration: .configuration
        case .badName: .usage
        case .storage(let error): error.exitStatus
        case .refused(let problem):
            switch problem.code {
            case "channelNotFound", "accountNotFound", "memberNotFound": .notFound
            case "channelInUse": .cannotCreate
            default: .inputOutput
            }
        }
    }
}

extension HubStorageError {
    /// The exit status of a command that this error ended.
    var exitStatus: ExitStatus {
        switch self {
        case .unknownAccount: .notFound
        case .exists, .taken: .cannotCreate
        case .io, .outcomeUnknown, .full, .damaged, .newerSchema, .tooMany: .inputOutput
        case .busy, .recovering: .temporary
        }
    }
}
