import CausewayModels
import CausewayStorage
import Testing

@Suite struct BlobIndexTests {
    private func key(_ number: UInt64, _ account: String = "a") -> BlobIndex.Key {
        BlobIndex.Key(account: account, message: MessageID(UUIDv7(high: 0x7000, low: number)))
    }

    @Test func roomIsReservedBeforeItIsTaken() throws {
        var index = BlobIndex(bounds: BlobBounds(bytesMax: 10, blobsMax: 3))
        try index.reserve(6)
        #expect(throws: BlobError.storageFull(bytes: 6, limit: 10)) { try index.reserve(5) }
        try index.reserve(4)
        index.add("x", size: 6, for: key(1))
        index.unreserve(4)
        #expect(index.usage == BlobUsage(blobs: 1, bytes: 6))
        try index.reserve(2)
        try index.reserve(2)
        #expect(throws: BlobError.tooManyBlobs(limit: 3)) { try index.reserve(0) }
        #expect(index.violations.isEmpty)
    }

    @Test func aSizeNearTheLargestDoesNotOverflow() throws {
        var index = BlobIndex(bounds: BlobBounds(bytesMax: .max))
        try index.reserve(.max - 1)
        #expect(throws: BlobError.self) { try index.reserve(.max) }
    }

    /// Random calls against the plainest model: a set of pairs.
    @Test(arguments: 0..<50 as Range<UInt64>) func agreesWithASetOfPairs(seed: UInt64) throws {
        struct Pair: Hashable {
            var key: BlobIndex.Key
            var hash: String
        }
        var random = SplitMix64(seed: seed)
        var index = BlobIndex(bounds: BlobBounds())
        var model: Set<Pair> = []
        for _ in 0..<200 {
            let key = key(UInt64.random(in: 0..<5, using: &random), Bool.random(using: &random) ? "a" : "b")
            let number = Int.random(in: 0..<4, using: &random)
            let hash = "h\(number)"
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                try index.reserve(Int64(number))
                index.add(hash, size: Int64(number), for: key)
                model.insert(Pair(key: key, hash: hash))
            case 2:
                let held = Set(model.filter { $0.key == key }.map(\.hash))
                #expect(index.release(key) == held)
                model = model.filter { $0.key != key }
            default:
                index.release(hash, key)
                model.remove(Pair(key: key, hash: hash))
            }
            #expect(index.violations.isEmpty)
            #expect(index.usage.blobs == Set(model.map(\.hash)).count)
            #expect(index.usage.bytes == Set(model.map(\.hash)).reduce(0) { $0 + (Int64($1.dropFirst()) ?? 0) })
            #expect(Set(index.messages(of: "a")) == Set(model.filter { $0.key.account == "a" }.map(\.key.message)))
            for number in 0..<4 {
                let isHeld = model.contains { $0.hash == "h\(number)" }
                #expect(index.size(of: "h\(number)") == (isHeld ? Int64(number) : nil))
                #expect(index.holds("h\(number)", key) == model.contains(Pair(key: key, hash: "h\(number)")))
            }
        }
    }
}
