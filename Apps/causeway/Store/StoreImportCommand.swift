import ArgumentParser
import CausewayAdapters
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayDaemon
import CausewayMaintenance
import CausewayStorage
import CausewaySystem

struct StoreImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a store from an export, in a folder that has none.",
        discussion: """
            The kind of the new store is that of the settings (--storage). Nothing is imported if any line is wrong: \
            the error names it by its number. Log in afterwards: tokens are not part of an export. The store that was \
            exported may continue, too; it counts as a copy.
            """)

    @Argument(help: "The file that `causeway store export` wrote; - for standard input.") var file: String
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.reporting { console throws(ControlError) in
            let settings = try options.settings.resolved()
            let tools = try Self.tools(settings.store)
            defer { tools.close() }
            let report: StoreImport.Report
            do throws(ControlError) {
                report = try await read(tools, settings, console)
            } catch {
                console.endProgress()
                throw error
            }
            console.endProgress()
            try console.report(report) { _ in
                ["\(settings.store): \(report.kind), \(EntryCounts.words(report.entries)), \(report.files) files"]
            }
            return .ok
        }
    }

    /// Locks the folder, which is made if it is missing.
    private static func tools(_ folder: String) throws(ControlError) -> StoreFolderTools {
        do throws(SystemError) {
            try FileSystem.makeFolders(folder) { _ throws(SystemError) in
            } failed: { _, error in
                error
            }
        } catch {
            throw ControlError(.storeNotAccessible, "cannot make \(folder): \(error)")
        }
        do throws(StoreError) {
            return try StoreFolderTools(folder, AdapterFactory.storeFormats)
        } catch {
            throw ControlError(error)
        }
    }

    private func read(
        _ tools: StoreFolderTools, _ settings: Settings, _ console: Console
    ) async throws(ControlError) -> StoreImport.Report {
        let source = try Self.source(file)
        let new: StoreImport
        do throws(StoreError) {
            new = try StoreImport(tools, kind: settings.storage.rawValue, progress: console.toolProgress)
        } catch {
            throw ControlError(error)
        }
        do throws(ControlError) {
            while true {
                let part = try source()
                if part.isEmpty { break }
                try await Self.checked { () throws(StoreImport.Problem) in try await new.add(part: part) }
            }
            return try await Self.checked { () throws(StoreImport.Problem) in try await new.finish() }
        } catch {
            new.cancel()
            throw error
        }
    }

    /// Reads the next bytes of the export; none at its end.
    private static func source(_ path: String) throws(ControlError) -> () throws(ControlError) -> [UInt8] {
        let bytesMax = 256 << 10
        if path == "-" {
            return { () throws(ControlError) in
                do throws(SystemError) { return try InputHandle.standardInput.read(upTo: bytesMax) } catch {
                    throw ControlError(.badRequest, "cannot read the input: \(error)")
                }
            }
        }
        let file: OpenFile
        do throws(SystemError) { file = try OpenFile(StandardFolders.absolute(path), for: .reading) } catch {
            throw ControlError(error.isNotFound ? .notFound : .badRequest, "cannot read \(path): \(error)")
        }
        return { () throws(ControlError) in
            do throws(SystemError) { return try file.read(upTo: bytesMax) } catch {
                throw ControlError(.badRequest, "cannot read \(path): \(error)")
            }
        }
    }

    private static func checked<Value>(
        _ body: () async throws(StoreImport.Problem) -> Value
    ) async throws(ControlError) -> Value {
        do throws(StoreImport.Problem) {
            return try await body()
        } catch {
            switch error {
            case .line(let line, let detail):
                throw ControlError(.badRequest, "line \(line): \(detail); nothing was imported")
            case .store(let error): throw ControlError(error)
            }
        }
    }
}
