import CausewayModels
import CausewayStorage
import Synchronization

/// A blob store with one fault, to show that the suite detects it.
final class FaultyBlobStore: BlobStore {
    enum Fault: CaseIterable, Sendable {
        case wrongName, ignoresOffsets, unboundedParts, keepsReleased, removesShared, mixesAccounts, losesOnRestart
        case ignoresFileLimit, ignoresTotal, keepsRefused, worksAfterClose, closesReaders
    }

    let fault: Fault
    let base: MemoryBlobStore
    private let released = Mutex<Set<BlobReference>>([])
    private let refused = Mutex<[BlobReference]>([])

    init(_ fault: Fault, _ base: MemoryBlobStore) {
        self.fault = fault
        self.base = base
    }

    /// A store in which nothing is left.
    var empty: MemoryBlobStore { MemoryBlobStore { path throws(BlobError) in throw .sourceMissing(path: path) } }

    func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> Attachment {
        do throws(BlobError) {
            var found = try await base.add(
                fileAt: path, for: reference, bytesMax: fault == .ignoresFileLimit ? .max : bytesMax)
            if fault == .wrongName { found.name = path }
            return found
        } catch {
            if fault == .keepsRefused { refused.withLock { $0.append(reference) } }
            if case .storageFull = error, fault == .ignoresTotal {
                return Attachment(name: "", contentType: "", size: 0, sha256: "")
            }
            throw error
        }
    }

    func open(_ sha256: String) async throws(BlobError) -> any Blob {
        FaultyBlob(fault: fault, base: try await base.open(sha256), store: self)
    }

    func release(_ references: [BlobReference]) async throws(BlobError) {
        released.withLock { $0.formUnion(references) }
        switch fault {
        case .keepsReleased: break
        case .removesShared:
            var all = references
            for user in ["ann", "bob"] {
                guard let user = UserID(user) else { continue }
                all += try await base.references(of: Account(server: "https://hub.example", user: user))
            }
            try await base.release(all)
        default: try await base.release(references)
        }
    }

    func references(of account: Account) async throws(BlobError) -> [BlobReference] {
        var found = try await base.references(of: account) + refused.withLock { $0 }
        if fault == .mixesAccounts, let bob = UserID("bob") {
            found += try await base.references(of: Account(server: account.server, user: bob))
        }
        return found
    }

    func usage() async throws(BlobError) -> BlobUsage {
        do throws(BlobError) {
            return try await base.usage()
        } catch {
            if fault == .worksAfterClose { return BlobUsage(blobs: 0, bytes: 0) }
            throw error
        }
    }

    func close() async { await base.close() }

    fileprivate var hasReleased: Bool { released.withLock { !$0.isEmpty } }
}

private struct FaultyBlob: Blob {
    let fault: FaultyBlobStore.Fault
    let base: any Blob
    let store: FaultyBlobStore

    var size: Int64 { base.size }
    var path: String? { base.path }

    func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
        if fault == .closesReaders, store.hasReleased { throw .closed }
        if fault == .ignoresOffsets, offset < size { return try await base.read(at: 0, count: count) }
        var bytes = try await base.read(at: offset, count: count)
        while fault == .unboundedParts, !bytes.isEmpty, bytes.count < count {
            let more = try await base.read(at: offset + Int64(bytes.count), count: count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
