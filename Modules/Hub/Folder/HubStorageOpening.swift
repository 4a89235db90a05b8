package import CausewayHubStorage
package import Logging

/// Opens a hub's storage; chosen by the program.
///
/// - `path`: where the data folder has its database.
/// - `isNew`: whether to create one; fails with `exists` if there is one.
/// - `logger`: receives failures of the storage and their end; `nil` for a command, whose storage does not recover.
package typealias HubStorageOpening =
    @Sendable (
        _ path: String, _ isNew: Bool, _ logger: Logger?
    ) async throws(HubStorageError) -> any HubStorage

extension DataFolder {
    func storage(
        _ opening: HubStorageOpening, isNew: Bool = false, logger: Logger? = nil
    ) async throws(HubError) -> any HubStorage {
        do {
            return try await opening(database, isNew, logger)
        } catch {
            throw .storage(error)
        }
    }
}
