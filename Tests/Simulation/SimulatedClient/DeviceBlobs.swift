import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage

/// The files of one process: a real ``MemoryBlobStore`` behind a disk that is at times full or broken.
struct DeviceBlobs: BlobStore {
    let world: World
    let process: Int
    let inner: any BlobStore

    private struct File: Blob {
        let world: World
        let process: Int
        let inner: any Blob

        var size: Int64 { inner.size }
        var path: String? { nil }

        func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
            try await world.reachFiles(process, .fileReadFails)
            let isShifted = world.lies(.readsOtherBytes, oneIn: 20) && offset > 0
            return try await inner.read(at: isShifted ? offset - 1 : offset, count: count)
        }
    }

    func add(fileAt path: String, for reference: BlobReference, bytesMax: Int64) async throws(BlobError) -> Attachment {
        try await world.reachFiles(process, .copyFails)
        guard world.processes[process].isWitnessed else { throw .closed }
        return try await inner.add(fileAt: path, for: reference, bytesMax: bytesMax)
    }

    func open(_ sha256: String) async throws(BlobError) -> any Blob {
        try await world.reachFiles(process, .fileReadFails)
        return File(world: world, process: process, inner: try await inner.open(sha256))
    }

    func release(_ references: [BlobReference]) async throws(BlobError) {
        try await world.reachFiles(process, .releaseFails)
        if world.plan.plantedFault == .keepsFiles { return }
        try await inner.release(references)
        guard world.lies(.losesFiles, oneIn: 3), let account = references.first?.account else { return }
        let others = try await inner.references(of: account)
        try await inner.release(Array(others.sorted { $0.message.value.low < $1.message.value.low }.prefix(1)))
    }

    func references(of account: Account) async throws(BlobError) -> [BlobReference] {
        try await world.reachFiles(process, .releaseFails)
        return try await inner.references(of: account)
    }

    func usage() async throws(BlobError) -> BlobUsage { try await inner.usage() }
    func close() async { await inner.close() }
}

extension World {
    /// Delays or fails a call to a disk's files.
    func reachFiles(_ process: Int, _ fault: Fault) async throws(BlobError) {
        let time = Duration.microseconds(Int64.random(in: 0...20_000, using: &fileDice))
        await runtime.sleep(until: runtime.now + time)
        if processes[process].life == .dead { throw .closed }
        if fault == .copyFails, devices[processes[process].device].diskFullUntil > runtime.now {
            throw .full(detail: "simulated")
        }
        guard strikes(fault) else { return }
        throw fault == .copyFails ? .full(detail: "simulated") : .notAccessible(path: "files", detail: "simulated")
    }
}

/// The files of a device in a world without faults of files: each is there as long as a message may need it, and its
/// hash begins with its size.
struct DeviceFiles: BlobStore {
    private struct File: Blob {
        let size: Int64
        var path: String? { nil }

        func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8] {
            [UInt8](repeating: 7, count: Int(max(0, min(Int64(count), size - offset))))
        }
    }

    func add(fileAt path: String, for reference: BlobReference, bytesMax: Int64) async throws(BlobError) -> Attachment {
        throw .sourceMissing(path: path)
    }

    func open(_ sha256: String) async throws(BlobError) -> any Blob {
        guard let size = Int64(sha256.prefix { $0 != "-" }) else { throw .missing(sha256: sha256) }
        return File(size: size)
    }

    func release(_ references: [BlobReference]) async throws(BlobError) {}
    func references(of account: Account) async throws(BlobError) -> [BlobReference] { [] }
    func usage() async throws(BlobError) -> BlobUsage { BlobUsage(blobs: 0, bytes: 0) }
    func close() async {}
}
