import Foundation
import PackagePlugin

/// `swift package generate-documentation [--output-path FOLDER]`: builds the documentation of the library from its
/// comments and from the articles in `Modules/Client/Causeway.docc`. A warning, such as a link that leads nowhere, is
/// an error.
///
/// The library re-exports the modules that its API speaks of, and its documentation has them as its own. That is why
/// this plugin extracts the symbols itself: those that the package manager extracts end at the borders of a module.
/// Needs `docc`, which is part of the toolchain.
@main struct DocumentationPlugin: CommandPlugin {
    private static let module = "Causeway"
    private static let catalogue = "Modules/Client/Causeway.docc"
    private static let exports = "Modules/Client/Exports.swift"

    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        let path = arguments.extractOption(named: "output-path").last
        guard let unknown = arguments.remainingArguments.first else {
            let site = path.map { URL(filePath: $0) } ?? context.pluginWorkDirectoryURL.appending(path: Self.module)
            return try generate(into: site, context)
        }
        throw Failure(reason: "unknown argument '\(unknown)'; use --output-path FOLDER")
    }

    private func generate(into site: URL, _ context: PluginContext) throws {
        var parameters = PackageManager.BuildParameters()
        parameters.echoLogs = true
        guard try packageManager.build(.target(Self.module), parameters: parameters).succeeded else {
            throw Failure(reason: "target '\(Self.module)' was not built")
        }
        let folder = context.pluginWorkDirectoryURL
        let graphs = folder.appending(path: "symbol-graphs")
        try remove(graphs)
        try remove(former: site)
        try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)

        // The work folder is SCRATCH/plugins/NAME/outputs; built modules are in SCRATCH/debug/Modules.
        let scratch = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let compiler = try Compiler(context)
        try run(
            context, "swift-symbolgraph-extract",
            [
                "-module-name", Self.module, "-I", scratch.appending(path: "debug/Modules").path(),
                "-output-dir", graphs.path(), "-minimum-access-level", "public",
                "-experimental-allowed-reexported-modules=\(try exportedModules(context).joined(separator: ","))",
            ] + compiler.arguments)
        try run(
            context, "docc",
            [
                "convert", context.package.directoryURL.appending(path: Self.catalogue).path(),
                "--fallback-display-name", Self.module, "--fallback-bundle-identifier", "causeway.\(Self.module)",
                "--additional-symbol-graph-dir", graphs.path(), "--output-path", site.path(), "--warnings-as-errors",
            ])
        print("documentation: \(site.path())")
    }

    /// Removes a site that was generated before. A folder that contains anything else is left alone.
    private func remove(former site: URL) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: site.path())) ?? []
        guard names.isEmpty || names.contains("metadata.json") && names.contains("documentation") else {
            throw Failure(reason: "'\(site.path())' contains files that are no documentation; name another folder")
        }
        try remove(site)
    }

    private func remove(_ folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path()) else { return }
        try FileManager.default.removeItem(at: folder)
    }

    /// The modules that the library re-exports.
    private func exportedModules(_ context: PluginContext) throws -> [String] {
        let text = try String(contentsOf: context.package.directoryURL.appending(path: Self.exports), encoding: .utf8)
        let prefix = "@_exported public import "
        return text.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}

/// The compiler's platform.
private struct Compiler {
    private struct Information: Decodable {
        struct Target: Decodable { let triple: String }
        let target: Target
    }

    let arguments: [String]

    init(_ context: PluginContext) throws {
        let target = try output(of: context.tool(named: "swiftc").url, ["-print-target-info"])
        let information = try JSONDecoder().decode(Information.self, from: target)
        #if os(Linux)
            arguments = ["-target", information.target.triple]
        #else
            let sdk = try output(of: URL(filePath: "/usr/bin/xcrun"), ["--show-sdk-path"])
            arguments = [
                "-target", information.target.triple, "-sdk",
                String(decoding: sdk, as: UTF8.self).trimmingCharacters(in: .newlines),
            ]
        #endif
    }
}

private struct Failure: Error, CustomStringConvertible {
    let reason: String
    var description: String { "generate-documentation: \(reason)" }
}

/// Runs a program of the toolchain; its output goes to this plugin's.
private func run(_ context: PluginContext, _ tool: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = try context.tool(named: tool).url
    process.arguments = arguments
    try end(process)
}

/// - Returns: the output of a program.
private func output(of program: URL, _ arguments: [String]) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    let bytes = try end(process) { try output.fileHandleForReading.readToEnd() }
    return bytes ?? Data()
}

@discardableResult
private func end<Result>(_ process: Process, _ meanwhile: () throws -> Result = {}) throws -> Result {
    try process.run()
    let result = try meanwhile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        let name = process.executableURL?.lastPathComponent ?? "program"
        throw Failure(reason: "\(name) ended with status \(process.terminationStatus)")
    }
    return result
}
