import Foundation

/// Provides folders for stores, one after the other.
final class StoreFolders {
    private let parent: String
    private var count = 0

    init(parent: String) { self.parent = parent }

    /// Runs `body` with the path of a folder that does not exist yet, and removes it afterwards.
    func with<Value>(_ body: (_ path: String) async throws -> Value) async throws -> Value {
        count += 1
        let path = "\(parent)/store-\(count)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
