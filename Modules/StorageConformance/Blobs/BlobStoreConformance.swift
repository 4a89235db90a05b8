import CausewayModels
package import CausewayStorage

/// The guarantees of ``BlobStore`` as rules that any implementation can be tested against.
package enum BlobStoreConformance {
    /// Creates the stores that the suite examines, and the files that it adds.
    package struct Factory: Sendable {
        /// Creates a new, empty store.
        package var make: @Sendable (BlobBounds) async throws -> any BlobStore
        /// Reopens a store's data, as the next process would.
        package var reopen: @Sendable (any BlobStore) async throws -> any BlobStore
        /// Writes a file, and returns its path.
        package var write: @Sendable (_ bytes: [UInt8], _ name: String) throws -> String
        /// Removes the file at a path.
        package var remove: @Sendable (_ path: String) throws -> Void

        package init(
            make: @escaping @Sendable (BlobBounds) async throws -> any BlobStore,
            reopen: @escaping @Sendable (any BlobStore) async throws -> any BlobStore,
            write: @escaping @Sendable (_ bytes: [UInt8], _ name: String) throws -> String,
            remove: @escaping @Sendable (_ path: String) throws -> Void
        ) {
            self.make = make
            self.reopen = reopen
            self.write = write
            self.remove = remove
        }
    }

    /// One guarantee of a store of files, and the check for it.
    package typealias Rule = ConformanceRule<Factory>

    /// All rules. Each creates its own stores and files.
    package static let rules: [Rule] = copyRules + referenceRules + boundRules

    /// The rule with this name.
    package static func rule(_ name: String) -> Rule? { rules.first { $0.name == name } }

    // MARK: - Samples

    static func reference(_ number: UInt64, _ user: String = "ann") throws -> BlobReference {
        guard let user = UserID(user) else { throw ConformanceFailure(detail: user, file: #fileID, line: #line) }
        return BlobReference(
            account: Account(server: "https://hub.example", user: user),
            message: MessageID(UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)))
    }

    /// Bytes that differ for each number, and are of no known format.
    static func bytes(_ number: UInt64, count: Int = 100) -> [UInt8] {
        var random = SplitMix64(seed: number)
        return [0] + (1..<max(1, count)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    static func content(_ store: any BlobStore, _ sha256: String) async throws -> [UInt8] {
        let blob = try await store.open(sha256)
        var bytes: [UInt8] = []
        while true {
            let part = try await blob.read(at: Int64(bytes.count), count: .max)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    /// The error of a call; `nil` if it throws none.
    static func error(_ body: () async throws(BlobError) -> Void) async -> BlobError? {
        do throws(BlobError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
