import CausewayModels
import CausewayStorage
import CausewayStorageConformance
import Synchronization
import Testing

/// Files in memory, for stores that know no disk.
final class MemoryFiles: Sendable {
    private let files = Mutex<[String: MemoryBlobStore.File]>([:])

    func write(_ bytes: [UInt8], _ name: String) -> String {
        // Equal bytes have equal hashes: all that the port needs of one.
        let digits = String(UInt64(bitPattern: Int64(bytes.hashValue)), radix: 16)
        let hash = String(repeating: "0", count: 64 - digits.count) + digits
        let attachment = Attachment(
            name: name, contentType: "application/octet-stream", size: Int64(bytes.count), sha256: hash)
        return files.withLock { files in
            let path = "/\(files.count)/\(name)"
            files[path] = MemoryBlobStore.File(attachment, bytes: bytes)
            return path
        }
    }

    func remove(_ path: String) { files.withLock { $0[path] = nil } }

    @Sendable func find(_ path: String) throws(BlobError) -> MemoryBlobStore.File {
        guard let file = files.withLock({ $0[path] }) else { throw .sourceMissing(path: path) }
        return file
    }

    /// A factory of stores that `wrap` makes of those in memory.
    func factory(
        _ wrap: @escaping @Sendable (MemoryBlobStore) -> any BlobStore = { $0 },
        unwrap: @escaping @Sendable (any BlobStore) -> MemoryBlobStore? = { $0 as? MemoryBlobStore }
    ) -> BlobStoreConformance.Factory {
        BlobStoreConformance.Factory(
            make: { bounds in wrap(MemoryBlobStore(bounds: bounds, find: self.find)) },
            reopen: { store in
                guard let store = unwrap(store) else { throw BlobError.closed }
                return wrap(store.crashed())
            }, write: { bytes, name in self.write(bytes, name) }, remove: { self.remove($0) })
    }
}

@Suite struct MemoryBlobStoreTests {
    @Test(arguments: BlobStoreConformance.rules)
    func keeps(_ rule: BlobStoreConformance.Rule) async throws { try await rule.run(MemoryFiles().factory()) }
}

/// The suite proves something only if it detects faults.
@Suite struct PlantedBlobFaultTests {
    /// Each fault, and the rule that detects it.
    static let expectations: [(FaultyBlobStore.Fault, String)] = [
        (.wrongName, "a copy is complete, and its own"),
        (.ignoresOffsets, "any part of a blob can be read"),
        (.unboundedParts, "a part has a limit"),
        (.keepsReleased, "equal files are one blob until the last reference goes"),
        (.removesShared, "equal files are one blob until the last reference goes"),
        (.mixesAccounts, "references belong to an account"),
        (.losesOnRestart, "copies survive the process"),
        (.ignoresFileLimit, "a file has a limit"),
        (.ignoresTotal, "all blobs have a limit"),
        (.keepsRefused, "a missing source leaves nothing"),
        (.worksAfterClose, "a closed store refuses calls"),
        (.closesReaders, "an open blob remains readable"),
    ]

    @Test func everyFaultHasARule() {
        #expect(Set(Self.expectations.map(\.0)) == Set(FaultyBlobStore.Fault.allCases))
    }

    @Test(arguments: expectations.indices) func isDetected(index: Int) async throws {
        let (fault, name) = Self.expectations[index]
        let rule = try #require(BlobStoreConformance.rule(name))
        let factory = MemoryFiles().factory(
            { FaultyBlobStore(fault, $0) },
            unwrap: { store in
                (store as? FaultyBlobStore).map { fault == .losesOnRestart ? $0.empty : $0.base }
            })
        await #expect(throws: ConformanceFailure.self, "\(fault)") { try await rule.run(factory) }
    }
}
