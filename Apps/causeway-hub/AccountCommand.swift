import ArgumentParser
import CausewayHub
import CausewayHubStorage
import CausewayModels
import Foundation

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Add, list, renew or remove accounts, also while the hub runs.",
        subcommands: [Add.self, List.self, Renew.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add an account and write its token to a file.")
        @OptionGroup var data: DataOption
        @OptionGroup var file: TokenFileOption
        @Argument(help: "Letters, digits and . _ - @ :") var name: String

        func run() async throws {
            try await failing {
                let path = try file.path(for: name, in: data.folder)
                let token = try await data.administration().addAccount(name)
                // The account exists from here on, whether its token can be written or not.
                AuditLog(data.folder).record("account added", name)
                try token.write(to: path)
                try say("Added \(name); its token is in \(path)")
            }
        }
    }

    struct Renew: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace an account's token; the old one is refused from then on.")
        @OptionGroup var data: DataOption
        @OptionGroup var file: TokenFileOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await failing {
                let path = try file.path(for: name, in: data.folder, replacing: true)
                let token = try await data.administration().renewAccount(name)
                AuditLog(data.folder).record("account renewed", name)
                try token.replace(at: path)
                try say("Renewed \(name); its new token is in \(path)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an account's token; its messages and its name are kept.")
        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await failing {
                try await data.administration().removeAccount(name)
                AuditLog(data.folder).record("account removed", name)
                try say("Removed \(name)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts, including removed ones.")
        @OptionGroup var data: DataOption
        @Flag(name: .long, help: "Print one JSON array.") var json = false

        private struct Line: Encodable {
            let name: String
            let createdAt: Int64
            let removedAt: Int64?
        }

        func run() async throws {
            try await failing(asJSON: json) {
                let accounts = try await data.administration().accounts()
                guard !json else {
                    let lines = accounts.map { account in
                        Line(
                            name: account.user.value, createdAt: account.createdAt.milliseconds,
                            removedAt: account.removedAt?.milliseconds)
                    }
                    try say(JSONOutput.text(lines))
                    return
                }
                for account in accounts {
                    try say(
                        "\(account.user)\t\(account.removedAt.map { "removed \($0)" } ?? "since \(account.createdAt)")")
                }
            }
        }
    }
}

/// The option for the path of a token's file.
struct TokenFileOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where to write the token. Default: tokens/NAME.token in the data folder.", valueName: "path"))
    var tokenFile: String?

    /// - Throws: before anything is created, if a file of that name exists and must not be replaced.
    func path(for name: String, in folder: DataFolder, replacing: Bool = false) throws -> String {
        let path = tokenFile ?? folder.token(of: name)
        guard !replacing || tokenFile != nil else { return path }
        if FileManager.default.fileExists(atPath: path) { throw HubError.alreadySetUp(path: path) }
        return path
    }
}
