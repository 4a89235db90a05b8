package import CausewayModels
import Synchronization

/// A blob store that keeps the bytes in memory, for tests and simulation. It never suspends.
///
/// It knows no disk: the files to copy come from a closure.
package final class MemoryBlobStore: BlobStore {
    /// A file as the closure finds it.
    package struct File: Sendable {
        package var description: Attachment
        package var bytes: [UInt8]

        package init(_ description: Attachment, bytes: [UInt8]) {
            self.description = description
            self.bytes = bytes
        }
    }

    private struct State {
        var index: BlobIndex
        var bytes: [String: [UInt8]] = [:]
        var isClosed = false
    }

    private let state: Mutex<State>
    private let bounds: BlobBounds
    private let find: @Sendable (_ path: String) throws(BlobError) -> File

    package convenience init(
        bounds: BlobBounds = BlobBounds(), find: @escaping @Sendable (_ path: String) throws(BlobError) -> File
    ) {
        self.init(State(index: BlobIndex(bounds: bounds)), bounds, find)
    }

    private init(
        _ state: State, _ bounds: BlobBounds, _ find: @escaping @Sendable (_ path: String) throws(BlobError) -> File
    ) {
        self.state = Mutex(state)
        self.bounds = bounds
        self.find = find
    }

    /// A new store with everything that this one has: the state after a crash of the process.
    package func crashed() -> MemoryBlobStore {
        var state = state.withLock { $0 }
        state.isClosed = false
        return MemoryBlobStore(state, bounds, find)
    }

    package func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> Attachment {
        let file = try find(path)
        let size = file.description.size
        let limit = min(bytesMax, bounds.fileBytesMax)
        guard size <= limit else { throw .fileTooLarge(path: path, bytes: size, limit: limit) }
        try write { state throws(BlobError) in
            try state.index.reserve(size)
            let sha256 = file.description.sha256
            state.index.add(sha256, size: size, for: Self.key(reference))
            state.bytes[sha256] = file.bytes
        }
        return file.description
    }

    package func open(_ sha256: String) async throws(BlobError) -> any Blob {
        let bytes = try write { state throws(BlobError) in state.bytes[sha256] }
        guard let bytes else { throw .missing(sha256: sha256) }
        return MemoryBlob(bytes: bytes)
    }

    package func release(_ references: [BlobReference]) async throws(BlobError) {
        try write { state throws(BlobError) in
            for reference in references {
                for sha256 in state.index.release(Self.key(reference)) where state.index.size(of: sha256) == nil {
                    state.bytes[sha256] = nil
                }
            }
        }
    }

    package func references(of account: Account) async throws(BlobError) -> [BlobReference] {
        try write { state throws(BlobError) in
            state.index.messages(of: account.description).map { BlobReference(account: account, message: $0) }
        }
    }

    package func usage() async throws(BlobError) -> BlobUsage {
        try write { state throws(BlobError) in state.index.usage }
    }

    package func close() async { state.withLock { $0.isClosed = true } }

    private func write<Value: Sendable>(
        _ body: (inout State) throws(BlobError) -> Value
    ) throws(BlobError) -> Value {
        let result: Result<Value, BlobError> = state.withLock { state in
            guard !state.isClosed else { return .failure(.closed) }
            return Result { () throws(BlobError) in try body(&state) }
        }
        return try result.get()
    }

    private static func key(_ reference: BlobReference) -> BlobIndex.Key {
        BlobIndex.Key(account: reference.account.description, message: reference.message)
    }
}

/// A blob in memory.
private struct MemoryBlob: Blob {
    let bytes: [UInt8]

    var size: Int64 { Int64(bytes.count) }
    var path: String? { nil }

    func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        return Array(bytes[Int(offset)...].prefix(min(count, Limits.blobPartBytesMax)))
    }
}
