import ArgumentParser
import CausewayHub
import Foundation

/// Runs a command and turns its error into a line on the standard error and the documented exit code.
func failing(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as HubError {
        FileHandle.standardError.write(Data("causeway-hub: \(error)\n".utf8))
        throw error.exitCode
    }
}

extension HubError {
    var exitCode: ExitCode {
        switch self {
        case .notSetUp, .unknownAccount: ExitCode(66)
        case .cannotListen: ExitCode(69)
        case .alreadySetUp, .taken: ExitCode(73)
        case .io, .full, .damaged, .fromTheFuture, .tooMany: ExitCode(74)
        case .inUse, .busy: ExitCode(75)
        case .configuration: ExitCode(78)
        case .badName: ExitCode(64)
        }
    }
}
