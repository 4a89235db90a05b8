package import CausewayModels

/// The blobs of a store and the references that hold them: decides which blobs are kept and what still fits. Pure.
package struct BlobIndex: Sendable, Equatable {
    /// A reference in the form in which a store keeps it: the account by a key of the store's choice.
    package struct Key: Sendable, Hashable {
        package var account: String
        package var message: MessageID

        package init(account: String, message: MessageID) {
            self.account = account
            self.message = message
        }
    }

    private struct Entry: Equatable {
        var size: Int64
        var holders: Set<Key> = []
    }

    package let bounds: BlobBounds
    private var entries: [String: Entry] = [:]
    private var blobs: [Key: Set<String>] = [:]
    private var bytes: Int64 = 0
    /// Bytes and number of the files that are being copied.
    private var reserved = BlobUsage(blobs: 0, bytes: 0)

    package init(bounds: BlobBounds) { self.bounds = bounds }

    package var usage: BlobUsage { BlobUsage(blobs: entries.count, bytes: bytes) }

    /// The size of a blob; `nil` if there is none with this hash.
    package func size(of sha256: String) -> Int64? { entries[sha256]?.size }

    /// The messages of an account that hold a blob, in no order.
    package func messages(of account: String) -> [MessageID] {
        blobs.keys.filter { $0.account == account }.map(\.message)
    }

    /// Reserves the room for a file before it is copied; each reservation ends with ``unreserve(_:)`` or
    /// ``add(_:size:for:)``.
    package mutating func reserve(_ size: Int64) throws(BlobError) {
        let wanted = bytes + reserved.bytes
        guard size <= bounds.bytesMax - wanted else {
            throw .storageFull(bytes: wanted, limit: bounds.bytesMax)
        }
        guard entries.count + reserved.blobs < bounds.blobsMax else { throw .tooManyBlobs(limit: bounds.blobsMax) }
        reserved.bytes += size
        reserved.blobs += 1
    }

    /// Gives up the room of a file that was not copied.
    package mutating func unreserve(_ size: Int64) {
        reserved.bytes -= size
        reserved.blobs -= 1
    }

    /// Turns a reservation into a blob that a reference holds.
    package mutating func add(_ sha256: String, size: Int64, for key: Key) {
        unreserve(size)
        insert(sha256, size: size, for: key)
    }

    /// Adds a blob that is there already.
    package mutating func insert(_ sha256: String, size: Int64, for key: Key) {
        if entries[sha256] == nil { bytes += size }
        entries[sha256, default: Entry(size: size)].holders.insert(key)
        blobs[key, default: []].insert(sha256)
    }

    /// Whether a reference holds a blob.
    package func holds(_ sha256: String, _ key: Key) -> Bool { blobs[key]?.contains(sha256) == true }

    /// The hashes of the blobs that a reference holds, in no order.
    package func blobs(heldBy key: Key) -> [String] { Array(blobs[key] ?? []) }

    /// Removes everything that a reference holds.
    ///
    /// - Returns: the hashes of those blobs; empty if the reference is unknown.
    package mutating func release(_ key: Key) -> Set<String> {
        let held = blobs[key] ?? []
        for sha256 in held { release(sha256, key) }
        return held
    }

    /// Removes a reference to one blob; does nothing if it does not hold it.
    package mutating func release(_ sha256: String, _ key: Key) {
        guard var entry = entries[sha256], entry.holders.remove(key) != nil else { return }
        entries[sha256] = entry.holders.isEmpty ? nil : entry
        if entry.holders.isEmpty { bytes -= entry.size }
        blobs[key]?.remove(sha256)
        if blobs[key]?.isEmpty == true { blobs[key] = nil }
    }
}

extension BlobIndex {
    /// Violations of what always holds; empty unless there is a mistake here.
    package var violations: [String] {
        var found: [String] = []
        if entries.contains(where: \.value.holders.isEmpty) { found.append("a blob that nothing holds") }
        if bytes != entries.values.reduce(0, { $0 + $1.size }) { found.append("the sum of the sizes is wrong") }
        let held = Set(entries.flatMap { entry in entry.value.holders.map { "\($0) \(entry.key)" } })
        let references = Set(blobs.flatMap { key, blobs in blobs.map { "\(key) \($0)" } })
        if held != references { found.append("holders and references differ") }
        if reserved.bytes < 0 || reserved.blobs < 0 { found.append("a reservation ended twice") }
        return found
    }
}
