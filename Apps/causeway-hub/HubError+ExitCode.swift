import ArgumentParser
import CausewayControlAPI
import CausewayHub
import CausewayHubStorage
import CausewayRecords
import CausewaySystem

/// Runs a command and turns its error into a line on standard error and the documented exit code.
///
/// - Parameter asJSON: whether the line is JSON.
func failing(asJSON: Bool = false, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as HubError {
        complain("\(error)", code: error.code, asJSON: asJSON)
        throw ExitCode(error.exitStatus.rawValue)
    } catch OutputError.closed {
        ProcessEnd.byClosedOutput()
    } catch let error as OutputError {
        complain("standard output cannot be written: \(error)", code: "outputFailed", asJSON: asJSON)
        throw ExitCode(ExitStatus.inputOutput.rawValue)
    }
}

/// Prints an error on standard error; lost when that cannot be written.
///
/// - Parameter code: names the error for scripts.
func complain(_ text: String, code: String, asJSON: Bool) {
    let object = ["error": ["code": code, "detail": text]]
    let line = asJSON ? try? JSONOutput.line(object) : nil
    try? OutputHandle.standardError.write((line ?? "causeway-hub: \(VisibleText.oneLine(text))") + "\n")
}

/// Prints a line of the result.
func say(_ line: String) throws(OutputError) { try OutputHandle.standardOutput.write(line + "\n") }

extension HubError {
    /// A name for scripts, stable across versions.
    var code: String {
        switch self {
        case .notSetUp: "hubNotFound"
        case .cannotListen: "cannotListen"
        case .alreadySetUp: "exists"
        case .io: "io"
        case .inUse: "hubInUse"
        case .configuration: "configuration"
        case .badName: "badName"
        case .storage(let error): error.code
        case .refused(let problem): problem.code
        }
    }

    /// The exit status of a command that this error ended.
    var exitStatus: ExitStatus {
        switch self {
        case .notSetUp: .notFound
        case .cannotListen: .unavailable
        case .alreadySetUp: .cannotCreate
        case .io: .inputOutput
        case .inUse: .temporary
        case .configuration: .configuration
        case .badName: .badInput
        case .storage(let error): error.exitStatus
        case .refused(let problem):
            switch problem.code {
            case "channelNotFound", "accountNotFound", "memberNotFound": .notFound
            case "channelInUse", "tooMany": .cannotCreate
            default: .inputOutput
            }
        }
    }
}

extension HubStorageError {
    /// A name for scripts, stable across versions.
    var code: String {
        switch self {
        case .unknownAccount: "accountNotFound"
        case .exists, .taken: "exists"
        case .busy, .recovering, .cancelled: "busy"
        case .tooMany: "tooMany"
        case .io, .outcomeUnknown, .full, .damaged, .newerSchema: "storageFailed"
        }
    }

    /// The exit status of a command that this error ended.
    var exitStatus: ExitStatus {
        switch self {
        case .unknownAccount: .notFound
        case .exists, .taken, .tooMany: .cannotCreate
        case .io, .outcomeUnknown, .full, .damaged, .newerSchema: .inputOutput
        case .busy, .recovering, .cancelled: .temporary
        }
    }
}
