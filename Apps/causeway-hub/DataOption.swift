import ArgumentParser
import CausewayConfiguration
import CausewayHub
import CausewayHubSQLite
import Foundation

/// The option `--data`, the same in every command.
struct DataOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The data folder. Default: $CAUSEWAY_HUB_DATA, else causeway-hub in the user's data directory.",
            valueName: "dir"))
    var data: String?

    var folder: DataFolder {
        let environment = ProcessInfo.processInfo.environment
        // An empty variable counts as none, as with every setting.
        let variable = environment["CAUSEWAY_HUB_DATA"].flatMap { $0.isEmpty ? nil : $0 }
        if let path = data ?? variable { return DataFolder(Self.absolute(path)) }
        return DataFolder(StandardFolders(environment: environment).hubData)
    }

    func validate() throws {
        if data?.isEmpty == true { throw ValidationError("--data is empty.") }
    }

    /// The accounts and channels of the hub in the folder.
    func administration() async throws(HubError) -> HubAdministration {
        try await HubAdministration.of(folder, opening: SQLiteHubStorage.open)
    }

    /// An absolute path, so that the printed commands work from any folder.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
