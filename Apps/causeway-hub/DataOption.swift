import ArgumentParser
import CausewayHub
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
        if let path = data ?? environment["CAUSEWAY_HUB_DATA"] { return DataFolder(Self.absolute(path)) }
        let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return DataFolder((base ?? NSHomeDirectory() + "/.local/share") + "/causeway-hub")
    }

    /// An absolute path, so that the printed commands work from any folder.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
