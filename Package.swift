// swift-tools-version: 6.2
// The manifest is the map of the layers: a target may import only what it lists here, and lists only
// what stands below it. `Tools/tidy` holds the imports to this file in both directions.

import PackageDescription

// MARK: - Settings: one strict list for every target of ours

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // `any P` is spelled out, so that the cost of an existential is visible.
    .enableUpcomingFeature("ExistentialAny"),
    // A dependency is never re-exported by accident.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Extension members are visible only where their module is imported: keeps the layering honest.
    .enableUpcomingFeature("MemberImportVisibility"),
    // An async function runs on its caller's actor unless it says otherwise.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    // Every use of an unsafe construct is marked where it stands.
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// MARK: - Outside packages

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncAlgorithms = product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let logging = product(name: "Logging", package: "swift-log")
    static let mustache = product(name: "Mustache", package: "swift-mustache")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
    static let openCombine = product(
        name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux]))
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
}

// MARK: - Shapes of targets

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: "Causeway\(name)", dependencies: dependencies, path: "Modules/\(name)", swiftSettings: strict)
}

func app(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Apps/\(name)", swiftSettings: strict)
}

func example(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(name)", packageAccess: false, swiftSettings: strict)
}

func tool(_ name: String, in folder: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tools/\(folder)/\(name)", swiftSettings: strict)
}

/// Tests, and what only tests use, by kind: `Tests/Unit` in memory, `Conformance` one suite for several
/// implementations, `Integration` real disks and sockets, `System` real programs, `Simulation` simulated time.
func tests(_ name: String, in folder: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: "Causeway\(name)Tests", dependencies: dependencies, path: "Tests/\(folder)/\(name)",
        swiftSettings: strict)
}

func support(_ name: String, in folder: String = "Support", _ dependencies: Target.Dependency...) -> Target {
    .target(
        name: "Causeway\(name)", dependencies: dependencies, path: "Tests/\(folder)/\(name)", swiftSettings: strict)
}

// MARK: - The house, from the ground up

let package = Package(
    name: "causeway",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Causeway", targets: ["Causeway"]),
        // The application's choice of a store and a transport.
        .library(name: "CausewaySQLiteStorage", targets: ["CausewaySQLiteStorage"]),
        .library(name: "CausewayFileStorage", targets: ["CausewayFileStorage"]),
        .library(name: "CausewayHTTPTransport", targets: ["CausewayHTTPTransport", "CausewayTLS"]),
        // For the tests of other stores and transports.
        .library(name: "CausewayStorageConformance", targets: ["CausewayStorageConformance"]),
        .library(name: "CausewayTransportConformance", targets: ["CausewayTransportConformance"]),
        // For the tests of applications: samples, constant collections, a hub in the process.
        .library(name: "CausewayTestKit", targets: ["CausewayTestKit"]),
        // For applications that use publishers; built only for them.
        .library(name: "CausewayLiveCombine", targets: ["CausewayLiveCombine"]),
        .executable(name: "causeway", targets: ["causeway-cli"]),
        .executable(name: "causewayd", targets: ["causewayd"]),
        .executable(name: "causeway-hub", targets: ["causeway-hub"]),
        .executable(name: "causeway-status", targets: ["causeway-status"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Without its default traits: they bring swift-configuration, which nothing here uses.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Ground: values and the handed-in world. No I/O.
        module("Models"),
        module("Wire", "CausewayModels"),
        // The kinds of records, a folder each.
        module("Records", "CausewayModels"),
        // The operating system: files, locks, clocks, signals, sockets, terminals. The only place that imports its
        // libraries by name.
        module("System"),
        module("Runtime", "CausewayModels", "CausewaySystem"),
        // The media types of files from their bytes, for client and hub.
        module("Media", "CausewayModels"),
        module("Diagnostics", "CausewayModels", "CausewayRuntime", "CausewaySystem", .logging),

        // Ports and the pure machines.
        module("Storage", "CausewayModels", .deque),
        module("StorageConformance", "CausewayModels", "CausewayStorage"),
        module("Transport", "CausewayModels", "CausewayRuntime"),
        module("TransportConformance", "CausewayModels", "CausewayRuntime", "CausewayTransport"),
        module("Outbox", "CausewayModels", "CausewayStorage", .deque),
        module("HubRules", "CausewayModels", "CausewayRecords", .deque),
        module("HubStorage", "CausewayHubRules", "CausewayModels"),
        // The bytes of the hub's files: a port, and a folder.
        module("HubBlobs", "CausewayHubRules", "CausewayModels", "CausewaySystem", "CausewayTLS", .nioCore),
        module("HubStorageConformance", "CausewayHubRules", "CausewayHubStorage", "CausewayModels"),

        // Adapters.
        .systemLibrary(
            name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        module("TLS", "COpenSSL", "CausewaySystem", .nioCore),
        .systemLibrary(name: "CZlib", path: "Modules/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        module("Gzip", "CZlib"),
        module("WebSocket", "CausewayGzip", .nioCore, .nioHTTP1, .nioWebSocket),
        module(
            "HTTP", "CausewaySystem", "CausewayTLS", "CausewayWebSocket", .httpTypes, .nioCore, .nioHTTP1,
            .nioHTTPTypesHTTP1, .nioPosix),
        // The files of media messages in a folder.
        module("Blobs", "CausewayMedia", "CausewayModels", "CausewayStorage", "CausewaySystem", "CausewayTLS"),
        // A checksum in each page of an SQLite database.
        module("SQLiteChecksums", "CausewaySystem", .grdb, .grdbSQLite),
        module(
            "SQLiteStorage", "CausewayBlobs", "CausewayModels", "CausewaySQLiteChecksums", "CausewayStorage",
            "CausewaySystem", .grdb, .grdbSQLite),
        // The processor's instruction for checksums.
        .systemLibrary(name: "CCRC32C", path: "Modules/CCRC32C"),
        module("FileStorage", "CCRC32C", "CausewayBlobs", "CausewayModels", "CausewayStorage", "CausewaySystem"),
        // The tools for a store that no process has open: check, backup, migration, export, import.
        module("Maintenance", "CausewayBlobs", "CausewayModels", "CausewayStorage", "CausewaySystem"),
        module(
            "HTTPTransport", "CausewayGzip", "CausewayModels", "CausewayRecords", "CausewayTransport", "CausewayWire",
            "CausewayHTTP", "CausewayTLS", "CausewayWebSocket", .httpTypes, .nioCore, .nioHTTP1, .nioPosix),

        // The engine and the public face.
        module(
            "Sync", "CausewayModels", "CausewayRuntime", "CausewayStorage", "CausewayTransport", "CausewayOutbox",
            .deque),
        module("LiveQuery", "CausewayModels", "CausewayRecords", "CausewayRuntime", "CausewayStorage"),
        // The public face is the module that applications import; it re-exports what its API speaks of. (It cannot be
        // called CausewayClient like its main type: a module with a type of its own name cannot be qualified.)
        .target(
            name: "Causeway",
            dependencies: [
                "CausewayLiveQuery", "CausewayModels", "CausewayRecords", "CausewayRuntime", "CausewayStorage",
                "CausewayTransport", "CausewayOutbox", "CausewaySync", "CausewaySystem", .logging,
            ],
            path: "Modules/Client", swiftSettings: strict),

        // Publishers over live objects and collections: Combine where it exists, OpenCombine elsewhere.
        module("LiveCombine", "Causeway", "CausewayLiveQuery", "CausewayModels", .openCombine),

        // A terminal as a screen, for the command line and the examples.
        module("Terminal", "CausewaySystem"),

        // The programs' shared parts: requests to the daemon, both ends of its socket, settings, terminal.
        module("ControlAPI", "CausewayModels"),
        module(
            "Configuration", "CausewayControlAPI", "CausewayDiagnostics", "CausewayModels", "CausewaySystem",
            .argumentParser, .logging),
        module(
            "ControlClient", "CausewayControlAPI", "CausewayHTTP", "CausewayModels", "CausewaySystem", .httpTypes,
            .nioCore, .nioHTTP1, .nioPosix),
        module(
            "ControlServer", "Causeway", "CausewayConfiguration", "CausewayControlAPI", "CausewayMaintenance",
            "CausewayStorage", "CausewaySystem", .asyncAlgorithms, .hummingbird, .httpTypes, .lifecycle, .logging,
            .nioCore, .nioHTTP1, .nioHTTPTypes),
        module(
            "CommandLine", "CausewayConfiguration", "CausewayControlAPI", "CausewayModels", "CausewayRecords",
            "CausewaySystem", "CausewayTerminal", "CausewayTLS"),
        module(
            "Daemon", "Causeway", "CausewayConfiguration", "CausewayControlAPI", "CausewayControlClient",
            "CausewayControlServer", "CausewayStorage", "CausewaySystem", .lifecycle, .logging, .unixSignals),

        // Servers.
        module(
            "HTTPServer", "CausewayModels", "CausewaySystem", "CausewayTLS", .hummingbirdCore, .httpTypes, .logging,
            .nioCore, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1),
        // The description of its requests is compiled in, and served.
        .target(
            name: "CausewayHub",
            dependencies: [
                "CausewayGzip", "CausewayModels", "CausewayRecords", "CausewayWire", "CausewayHubBlobs",
                "CausewayHubRules", "CausewayHubStorage", "CausewayHTTPServer", "CausewaySystem", "CausewayTLS",
                "CausewayWebSocket", .hummingbird, .hummingbirdCore, .httpTypes, .lifecycle, .logging, .nioCore,
                .nioHTTP1, .nioHTTPTypes,
                .nioHTTPTypesHTTP1,
            ],
            path: "Modules/Hub", resources: [.embedInCode("Contract")], swiftSettings: strict),
        // The hub's storage by default. Only the program chooses it.
        module(
            "HubSQLite", "CausewayHubRules", "CausewayHubStorage", "CausewayModels", "CausewaySystem", .grdb,
            .grdbSQLite, .logging),

        // For the tests of applications, which run the real hub.
        module(
            "TestKit", "Causeway", "CausewayHTTPTransport", "CausewayHub", "CausewayHubSQLite", "CausewayLiveQuery",
            "CausewayModels", "CausewayRecords", "CausewayRuntime", "CausewayStorage", "CausewayTransport", .logging),

        // The status page: its templates and its sheet are compiled in, so that the program needs no folder beside it.
        .target(
            name: "CausewayStatusPage",
            dependencies: [
                "CausewayConfiguration", "CausewayControlAPI", "CausewayControlClient", "CausewayHTTPServer",
                "CausewayModels", "CausewaySystem", "CausewayTLS", .hummingbird, .hummingbirdCore, .httpTypes,
                .lifecycle, .logging, .mustache, .nioCore, .nioHTTP1,
            ],
            path: "Modules/StatusPage",
            resources: [.embedInCode("Assets"), .embedInCode("Templates")], swiftSettings: strict),

        // Apps: parse arguments, wire modules together.
        // The choice of store and transports that the daemon and the command line share.
        .target(
            name: "CausewayAdapters",
            dependencies: [
                "Causeway", "CausewayConfiguration", "CausewayDaemon", "CausewayFileStorage", "CausewayHTTPTransport",
                "CausewaySQLiteStorage", "CausewayStorage", "CausewaySystem", "CausewayTLS",
            ],
            path: "Apps/Adapters", swiftSettings: strict),
        .executableTarget(
            name: "causeway-cli",
            dependencies: [
                "Causeway", "CausewayAdapters", "CausewayCommandLine", "CausewayConfiguration", "CausewayControlAPI",
                "CausewayControlServer", "CausewayControlClient", "CausewayDaemon", "CausewayMaintenance",
                "CausewayStorage", "CausewaySystem", "CausewayTerminal", .argumentParser,
            ],
            path: "Apps/causeway", swiftSettings: strict),
        app(
            "causewayd", "CausewayAdapters", "CausewayConfiguration", "CausewayControlAPI", "CausewayDaemon",
            "CausewayDiagnostics", "CausewaySystem", .argumentParser, .logging),
        app(
            "causeway-hub", "CausewayConfiguration", "CausewayControlAPI", "CausewayDiagnostics", "CausewayHub",
            "CausewayHubSQLite", "CausewayHubStorage", "CausewayModels", "CausewayRecords", "CausewaySystem",
            .argumentParser, .lifecycle, .logging, .unixSignals),
        app(
            "causeway-status", "CausewayConfiguration", "CausewayControlAPI", "CausewayDiagnostics",
            "CausewayStatusPage", "CausewaySystem", .argumentParser, .lifecycle, .logging, .unixSignals),

        // Examples: what an application writes. They see what is public, and nothing else. `Examples/own-adapters` is a
        // package of its own.
        example(
            "terminal-chat", "Causeway", "CausewayHTTPTransport", "CausewaySQLiteStorage", "CausewayTLS",
            "CausewayTerminal"),
        example("first-message", "Causeway", "CausewayHTTPTransport", "CausewaySQLiteStorage"),

        // Tools: what measures, never installed.
        tool(
            "causeway-bench", in: "bench", "Causeway", "CausewayFileStorage", "CausewayLiveQuery", "CausewayModels",
            "CausewayRuntime", "CausewayStorage", "CausewaySQLiteChecksums", "CausewaySQLiteStorage",
            "CausewayHTTPTransport", "CausewayTLS", "CausewayWire", .argumentParser, .grdb),
        tool("causeway-simulate", in: "simulator", "CausewaySimulatedWorld", "CausewaySimulationKernel"),
        // The whole client in simulated time; built without the packages of the network and of SQLite.
        tool("causeway-simulate-clients", in: "simulator", "CausewaySimulatedClient", "CausewaySimulationKernel"),
        // Followers of the hub's log.
        tool("causeway-simulate-events", in: "simulator", "CausewaySimulatedFollower", "CausewaySimulationKernel"),
        // Either end of a WebSocket as an echo, for conformance suites.
        tool(
            "websocket-echo", in: "websocket", "CausewayHTTP", "CausewayHTTPServer", "CausewayWebSocket", .httpTypes,
            .hummingbird, .hummingbirdCore, .logging, .nioCore, .nioHTTP1, .nioHTTPTypesHTTP1, .nioPosix),

        // `swift package generate-documentation`.
        .plugin(
            name: "GenerateDocumentation", capability: .command(intent: .documentationGeneration),
            path: "Tools/documentation"),

        // Tests: what they share.
        support("TestSupport", "CausewayModels", "CausewayTLS", .nioCore, .nioHTTP1, .nioPosix),
        // A server in memory that takes everything, or does as it is told, and a quick client's configuration.
        support("ScriptedWorld", "Causeway"),
        // A process that owns a store and can be killed.
        .executableTarget(
            name: "store-writer",
            dependencies: ["CausewayFileStorage", "CausewayModels", "CausewayStorage", "CausewaySQLiteStorage"],
            path: "Tests/Support/StoreWriter", swiftSettings: strict),
        // A disk that fails and loses its power, and a history of a store to run on it.
        support(
            "StoreTorture", "CausewayFileStorage", "CausewayModels", "CausewayStorage", "CausewayStorageConformance",
            "CausewaySystem"),

        // Tests: simulated time. What both simulators have in common is the kernel.
        support("SimulationKernel", in: "Simulation", "CausewayModels"),
        support("SimulatedRuntime", in: "Simulation", "CausewayModels", "CausewayRuntime", "CausewaySimulationKernel"),
        support("SimulatedHub", in: "Simulation", "CausewayModels", "CausewayHubRules", "CausewayTransport"),
        support(
            "SimulatedWorld", in: "Simulation", "CausewayModels", "CausewayStorage", "CausewayOutbox",
            "CausewayHubRules", "CausewaySimulatedHub", "CausewaySimulationKernel", .deque),
        support(
            "SimulatedClient", in: "Simulation", "Causeway", "CausewayFileStorage", "CausewayHubRules",
            "CausewayModels", "CausewayOutbox", "CausewayRuntime", "CausewaySimulatedHub", "CausewaySimulatedRuntime",
            "CausewaySimulationKernel", "CausewayStorage", "CausewayStoreTorture", "CausewayTransport"),
        support(
            "SimulatedFollower", in: "Simulation", "CausewayHTTPTransport", "CausewayHubRules", "CausewayHubStorage",
            "CausewayModels", "CausewayRecords", "CausewaySimulationKernel", "CausewaySync"),
        tests("FollowerSimulation", in: "Simulation", "CausewaySimulatedFollower", "CausewaySimulationKernel"),
        tests(
            "WorldSimulation", in: "Simulation", "CausewayModels", "CausewaySimulatedWorld",
            "CausewaySimulationKernel"),
        tests("ClientSimulation", in: "Simulation", "CausewaySimulatedClient", "CausewaySimulationKernel"),

        // Tests: one module in memory.
        tests("Models", in: "Unit", "CausewayModels"),
        tests("System", in: "Unit", "CausewaySystem"),
        tests("Diagnostics", in: "Unit", "CausewayDiagnostics", .logging),
        tests("Gzip", in: "Unit", "CausewayGzip"),
        tests("Media", in: "Unit", "CausewayMedia", "CausewayModels"),
        tests("Wire", in: "Unit", "CausewayModels", "CausewayWire"),
        tests("Records", in: "Unit", "CausewayModels", "CausewayRecords"),
        tests("HubRules", in: "Unit", "CausewayHubRules", "CausewayModels", "CausewayRecords"),
        tests("Storage", in: "Unit", "CausewayModels", "CausewayStorage"),
        tests("Outbox", in: "Unit", "CausewayModels", "CausewayStorage", "CausewayOutbox"),
        tests(
            "Sync", in: "Unit", "CausewayTestSupport", "Causeway", "CausewayFileStorage", "CausewayHubRules",
            "CausewayModels", "CausewayRecords", "CausewayRuntime", "CausewaySQLiteChecksums", "CausewaySQLiteStorage",
            "CausewaySimulatedHub", "CausewaySimulatedRuntime", "CausewayScriptedWorld", "CausewayStorage",
            "CausewayStoreTorture", "CausewaySync", "CausewaySystem", "CausewayTransport", .grdb, .logging),
        tests(
            "Live", in: "Unit", "CausewayTestSupport", "CausewayFileStorage", "CausewayLiveQuery", "CausewayModels",
            "CausewayRuntime", "CausewaySQLiteStorage", "CausewaySimulatedRuntime", "CausewayStorage",
            "CausewayStoreTorture"),
        tests(
            "LiveCombine", in: "Unit", "Causeway", "CausewayLiveCombine", "CausewayScriptedWorld",
            "CausewayTestSupport", .openCombine),
        tests("Terminal", in: "Unit", "CausewayTerminal"),
        tests(
            "HTTPServer", in: "Unit", "CausewayHTTPServer", "CausewayModels", .httpTypes, .nioCore, .nioEmbedded,
            .nioHTTPTypes),
        tests(
            "WebSocket", in: "Unit", "CausewayGzip", "CausewayWebSocket", .nioCore, .nioEmbedded, .nioHTTP1),

        // Tests: one suite for several implementations.
        tests(
            "StorageConformance", in: "Conformance", "CausewayBlobs", "CausewayFileStorage", "CausewayMaintenance",
            "CausewayModels", "CausewayStorage", "CausewayStorageConformance", "CausewaySQLiteStorage",
            "CausewayTestSupport"),
        tests(
            "TransportConformance", in: "Conformance", "Causeway", "CausewayScriptedWorld",
            "CausewayTransportConformance"),
        tests(
            "HubStorageConformance", in: "Conformance", "CausewayHubRules", "CausewayHubSQLite", "CausewayHubStorage",
            "CausewayHubStorageConformance", "CausewayModels", "CausewayTestSupport", .logging),
        tests(
            "Replay", in: "Conformance", "Causeway", "CausewayFileStorage", "CausewayHTTPTransport", "CausewayHub",
            "CausewayHubRules", "CausewayHubSQLite", "CausewayModels", "CausewayRuntime", "CausewaySQLiteStorage",
            "CausewayScriptedWorld", "CausewaySimulatedHub", "CausewaySimulatedRuntime", "CausewayStorage",
            "CausewayTLS", "CausewayTestSupport", "CausewayTransport", .logging),

        // Tests: real disks and sockets.
        tests(
            "Blobs", in: "Integration", "CausewayBlobs", "CausewayModels", "CausewayStorage",
            "CausewayStorageConformance", "CausewaySystem", "CausewayTestSupport", "CausewayTLS"),
        tests(
            "SQLiteStorage", in: "Integration", "CausewayBlobs", "CausewayFileStorage", "CausewayModels",
            "CausewaySQLiteChecksums", "CausewayStorage", "CausewayStorageConformance", "CausewaySQLiteStorage",
            "CausewayTestSupport", "CausewayStoreTorture", "CausewaySystem", "store-writer", .grdb, .grdbSQLite),
        tests(
            "FileStorage", in: "Integration", "CausewayFileStorage", "CausewayModels", "CausewayStorage",
            "CausewayStorageConformance", "CausewayTestSupport", "CausewayStoreTorture", "store-writer"),
        tests(
            "TLS", in: "Integration", "COpenSSL", "CausewayTestSupport", "CausewayTLS", .nioCore, .nioEmbedded,
            .nioPosix),
        tests(
            "HTTP", in: "Integration", "CausewayHTTP", "CausewaySystem", "CausewayTLS", "CausewayTestSupport",
            .httpTypes, .nioCore,
            .nioPosix),
        tests(
            "HTTPTransport", in: "Integration", "CausewayGzip", "CausewayModels", "CausewayTransport",
            "CausewayTransportConformance", "CausewayWire", "CausewayHTTP", "CausewayHTTPTransport", "CausewayTLS",
            "CausewayTestSupport", "CausewayHub", "CausewayHubRules", "CausewayHubSQLite", "CausewayRecords",
            "CausewayWebSocket", .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix, .nioWebSocket),
        tests(
            "Hub", in: "Integration", "CausewayGzip", "CausewayHub", "CausewayHubBlobs", "CausewayHubRules",
            "CausewayHubSQLite", "CausewayHubStorage", "CausewayHTTPServer", "CausewayModels", "CausewayRecords",
            "CausewayTLS", "CausewayTestSupport", "CausewayWebSocket", "CausewayWire", "causeway-hub", .grdb,
            .httpTypes, .lifecycle, .logging, .nioCore, .nioHTTP1, .nioPosix),
        tests(
            "Control", in: "Integration", "CausewayTestSupport", "Causeway", "CausewayCommandLine",
            "CausewayConfiguration", "CausewayControlAPI", "CausewayControlClient", "CausewayControlServer",
            "CausewayDaemon", "CausewayDiagnostics", "CausewayModels", "CausewayScriptedWorld", "CausewaySystem",
            "CausewayTerminal", .lifecycle, .logging, .nioCore, .nioPosix),
        tests(
            "StatusPage", in: "Integration", "CausewayTestSupport", "Causeway", "CausewayConfiguration",
            "CausewayControlAPI", "CausewayControlServer", "CausewayHTTPServer", "CausewayScriptedWorld",
            "CausewayStatusPage", .lifecycle, .logging, .nioCore, .nioPosix),
        tests("TestKit", in: "Integration", "Causeway", "CausewayTestKit", "CausewayTestSupport"),

        // Tests: real programs.
        tests(
            "EndToEnd", in: "System", "Causeway", "CausewayFileStorage", "CausewayHTTPTransport", "CausewayHub",
            "CausewayHubRules", "CausewayHubSQLite", "CausewayModels", "CausewayRecords", "CausewaySQLiteStorage",
            "CausewayScriptedWorld", "CausewayStorage", "CausewayTLS", "CausewayTestSupport", "CausewayTransport",
            "causeway-cli", "causeway-hub", "causewayd", .grdb, .logging),
        tests(
            "CLI", in: "System", "CausewayTestSupport", "causeway-cli", "causeway-hub", "causeway-status",
            "causewayd", "terminal-chat"),
        tests(
            "Torture", in: "System", "Causeway", "CausewayControlAPI", "CausewayControlClient", "CausewayFileStorage",
            "CausewayModels", "CausewaySQLiteChecksums", "CausewayTestSupport", "CausewayStorage", "causeway-cli",
            "causeway-hub", "causewayd", .grdb),
    ]
)
