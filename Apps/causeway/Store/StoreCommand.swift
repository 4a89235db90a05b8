import ArgumentParser
import CausewayAdapters
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayDaemon
import CausewayMaintenance
import CausewayStorage
import Dispatch

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Check, back up, migrate, export, import and compact the store.",
        discussion: """
            `backup` and `compact` also work while a daemon runs. The others need the store for themselves: stop the \
            daemon first, or work on a backup of the running store (causeway store check --store BACKUP).
            """,
        subcommands: [
            StoreCheckCommand.self, StoreBackupCommand.self, StoreMigrateCommand.self, StoreExportCommand.self,
            StoreImportCommand.self, StoreCompactCommand.self,
        ])
}

extension CommandOptions {
    /// Runs a command that works on the folder of the store while no process has the store open.
    func runOnFolder(
        _ body: (StoreFolderTools, Settings, Console) async throws(ControlError) -> ExitStatus
    ) async throws {
        try await reporting { console throws(ControlError) in
            let settings = try settings.resolved()
            let tools: StoreFolderTools
            do throws(StoreError) {
                tools = try StoreFolderTools(settings.store, AdapterFactory.storeFormats)
            } catch {
                guard case .locked(let owner, let path) = error else { throw ControlError(error) }
                let name = owner.map { "process \($0)" } ?? "another process"
                throw ControlError(
                    .storeOwned, "\(name) has the store \(path) open; stop it, or use a backup (causeway store backup)")
            }
            defer { tools.close() }
            return try await body(tools, settings, console)
        }
    }
}

extension Console {
    /// The progress of a tool: a bar if the total is known.
    func toolProgress(_ step: String, _ done: Int64, _ total: Int64?) {
        progress(total.map { "\(step): \(done) of \($0)" } ?? "\(step): \(done)")
    }

    /// Runs a tool on a thread outside the shared pool, and renews its progress meanwhile: some of its steps take long
    /// and report nothing.
    func showingProgress<Value: Sendable>(
        _ tool: @escaping @Sendable (@escaping ToolProgress) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let steps = StepProgress()
        let renewal = Task {
            while !Task.isCancelled {
                if let line = steps.line() { progress(line) }
                try? await Task.sleep(for: .milliseconds(CommandLineLimits.progressMilliseconds))
            }
        }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in try tool { steps.report($0, $1, $2) } })
            }
        }
        renewal.cancel()
        await renewal.value
        endProgress()
        return try result.get()
    }
}

/// Counts as words.
enum EntryCounts {
    static func words(_ counts: StoreEntryCounts) -> String {
        "\(Counted.messages(counts.messages)), \(counts.operations) operations, \(counts.records) records, "
            + "\(counts.accounts) accounts"
    }
}
