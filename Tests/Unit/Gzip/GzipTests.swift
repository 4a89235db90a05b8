import CausewayGzip
import Testing

@Suite struct GzipTests {
    private static func sample(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 / 97) }
    }

    @Test(arguments: [0, 1, 1000, 65_535, 65_536, 65_537, 131_072, 300_000])
    func whatWasCompressedComesBack(_ count: Int) throws {
        let bytes = Self.sample(count)
        let file = try #require(Gzip.compressed(bytes))
        #expect(file.prefix(2) == [0x1F, 0x8B])
        #expect(try Gzip.decompressed(file, bytesMax: count) == bytes)
    }

    @Test func contentPastTheLimitIsRefusedBeforeItIsKept() throws {
        let file = try #require(Gzip.compressed([UInt8](repeating: 7, count: 10_000_000)))
        #expect(file.count < 100_000)
        var kept = 0
        #expect(throws: GzipError.tooLarge(bytesMax: 200_000)) {
            try Gzip.decompressed(file, bytesMax: 200_000) { kept += $0 }
        }
        #expect(kept <= 200_000)
        #expect(try Gzip.decompressed(file, bytesMax: 10_000_000).count == 10_000_000)
    }

    @Test func whoCountsTheContentMayRefuseIt() throws {
        struct NoRoom: Error {}
        let file = try #require(Gzip.compressed(Self.sample(300_000)))
        var counted = 0
        #expect(throws: NoRoom.self) {
            try Gzip.decompressed(file, bytesMax: .max) { count in
                if counted > 100_000 { throw NoRoom() }
                counted += count
            }
        }
        #expect(counted < 300_000)
    }

    /// No byte of a file can be missing, nothing can follow, and damage either is noticed or changes nothing: the time
    /// in the header and the bits that fill the last byte say nothing about the content.
    @Test func everyDamageIsMalformed() throws {
        let bytes = Self.sample(2000)
        let file = try #require(Gzip.compressed(bytes))
        for count in 0..<file.count {
            #expect(throws: GzipError.malformed, "\(count)") {
                try Gzip.decompressed(Array(file.prefix(count)), bytesMax: 10_000)
            }
        }
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1 << UInt8(index % 8)
            do {
                #expect(try Gzip.decompressed(damaged, bytesMax: 10_000) == bytes, "\(index)")
            } catch {
                #expect(error as? GzipError == .malformed, "\(index)")
            }
        }
        for tail in [[0], file] {
            #expect(throws: GzipError.malformed) { try Gzip.decompressed(file + tail, bytesMax: 10_000) }
        }
    }
}
