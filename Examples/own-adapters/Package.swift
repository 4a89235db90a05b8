// swift-tools-version: 6.2
// A package outside of Causeway: it sees the products of the package, as an application does, and nothing else.
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Without SwiftUI its declarations are those of a shim, so that the screens are type-checked everywhere.
#if canImport(SwiftUI)
    let shim: [Target] = []
    let swiftUI: [Target.Dependency] = []
#else
    let shim: [Target] = [.target(name: "SwiftUI", path: "Sources/SwiftUIShim", swiftSettings: strict)]
    let swiftUI: [Target.Dependency] = ["SwiftUI"]
#endif

let package = Package(
    name: "own-adapters",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "causeway", path: "../..")],
    targets: [
        .target(
            name: "OwnAdapters", dependencies: [.product(name: "Causeway", package: "causeway")],
            swiftSettings: strict),
        // Two bots and the model of a table view, on the public API.
        .target(
            name: "Samples", dependencies: [.product(name: "Causeway", package: "causeway")], swiftSettings: strict),
        // The samples of the documented SDK, on this API.
        .target(
            name: "DocumentedSamples", dependencies: [.product(name: "Causeway", package: "causeway")],
            swiftSettings: strict),
        .testTarget(
            name: "DocumentedSamplesTests",
            dependencies: [
                "DocumentedSamples", .product(name: "CausewayFileStorage", package: "causeway"),
                .product(name: "CausewayTestKit", package: "causeway"),
            ],
            swiftSettings: strict),
        // The screens of a chat for SwiftUI.
        .target(
            name: "ChatScreen", dependencies: swiftUI + [.product(name: "Causeway", package: "causeway")],
            swiftSettings: strict),
        .testTarget(
            name: "SamplesTests",
            dependencies: ["OwnAdapters", "Samples", .product(name: "CausewayTestKit", package: "causeway")],
            swiftSettings: strict),
        .executableTarget(name: "own-adapters", dependencies: ["OwnAdapters"], swiftSettings: strict),
        .testTarget(
            name: "OwnAdaptersTests",
            dependencies: [
                "OwnAdapters", .product(name: "CausewayStorageConformance", package: "causeway"),
                .product(name: "CausewayTransportConformance", package: "causeway"),
            ],
            swiftSettings: strict),
    ] + shim,
    swiftLanguageModes: [.v6]
)
