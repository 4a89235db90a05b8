import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import Foundation
import Logging
import Testing

extension Sample {
    static let silentLogger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }

    /// A hub's folder with one account and one channel.
    static func hubFolder() async throws -> (TemporaryFolder, DataFolder, AccessToken) {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path + "/hub")
        _ = try await HubSetup(folder: folder, names: ["localhost"], account: "ada", channel: "general").run(
            opening: SQLiteHubStorage.open)
        let text = try String(contentsOfFile: folder.token(of: "ada"), encoding: .utf8)
        return (temporary, folder, try #require(AccessToken(text.trimmingCharacters(in: .newlines))))
    }
}

extension DeliveryReport {
    /// The positions of the accepted operations.
    var positions: [Int64] {
        outcomes.compactMap { if case .accepted(let place) = $0 { place.position } else { nil } }
    }
}
