import CausewayGzip
import Testing

/// Blocks of deflate as the messages of a WebSocket have them. The bytes of the examples are those of RFC 7692 §7.2.3.
@Suite struct DeflateBlocksTests {
    private static let hello = Array("Hello".utf8)

    private static func sample(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 / 97) }
    }

    @Test(
        arguments: [
            (name: "7.2.3.1 one block", blocks: [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
            (
                name: "7.2.3.3 not compressed",
                blocks: [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
            ),
            (name: "7.2.3.4 marked as the last block", blocks: [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
            (
                name: "7.2.3.5 two blocks",
                blocks: [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
            ),
            // Not in the RFC: a compressor that closes its stream ends with such a block.
            (name: "the empty block is marked as the last", blocks: [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x04]),
            (
                name: "not compressed, and the empty block is marked as the last",
                blocks: [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x01]
            ),
        ] as [(name: String, blocks: [UInt8])])
    func anExampleIsDecompressed(_ example: (name: String, blocks: [UInt8])) throws {
        #expect(try DeflateBlocks.decompressed(example.blocks, bytesMax: 5) == Self.hello)
        #expect(throws: GzipError.tooLarge(bytesMax: 4)) {
            try DeflateBlocks.decompressed(example.blocks, bytesMax: 4)
        }
    }

    /// 7.2.3.2: the second message refers to the first.
    @Test func aContextOfAnEarlierMessageIsMissing() {
        #expect(throws: GzipError.malformed) {
            try DeflateBlocks.decompressed([0xF2, 0x00, 0x11, 0x00, 0x00], bytesMax: 5)
        }
    }

    @Test func theExampleIsCompressed() throws {
        #expect(
            DeflateBlocks.compressed(Self.hello, windowBits: 15) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        // 7.2.3.6: an empty message.
        #expect(try DeflateBlocks.decompressed([0x00], bytesMax: 0).isEmpty)
        #expect(DeflateBlocks.compressed([], windowBits: 15) == [0x00])
    }

    @Test(arguments: [1, 250, 251, 1000, 65_535, 65_536, 65_537, 131_072, 300_000], [9, 10, 15])
    func compressedBytesComeBack(_ count: Int, _ windowBits: Int) throws {
        let bytes = Self.sample(count)
        let blocks = try #require(DeflateBlocks.compressed(bytes, windowBits: windowBits))
        #expect(try DeflateBlocks.decompressed(blocks, bytesMax: count) == bytes)
    }

    /// A repetition that is out of reach of the window costs its bytes again.
    @Test func theWindowIsKept() throws {
        let noise = (0..<2000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7 ^ $0) }
        let small = try #require(DeflateBlocks.compressed(noise + noise, windowBits: 9)).count
        let large = try #require(DeflateBlocks.compressed(noise + noise, windowBits: 15)).count
        #expect(large * 10 < small * 9)
    }

    @Test func contentPastTheLimitIsRefusedBeforeItIsKept() throws {
        let blocks = try #require(DeflateBlocks.compressed([UInt8](repeating: 7, count: 10_000_000), windowBits: 15))
        #expect(blocks.count < 100_000)
        var kept = 0
        #expect(throws: GzipError.tooLarge(bytesMax: 200_000)) {
            try DeflateBlocks.decompressed(blocks, bytesMax: 200_000) { kept += $0 }
        }
        #expect(kept <= 200_000)
    }

    /// Every byte is missed. Of the bits after the last block none counts.
    @Test func anIncompleteSequenceIsMalformed() throws {
        let bytes = Self.sample(2000)
        let blocks = try #require(DeflateBlocks.compressed(bytes, windowBits: 15))
        for count in 0..<blocks.count {
            #expect(throws: GzipError.malformed, "\(count)") {
                try DeflateBlocks.decompressed(Array(blocks.prefix(count)), bytesMax: 10_000)
            }
        }
        #expect(throws: GzipError.malformed) { try DeflateBlocks.decompressed([0x07], bytesMax: 10) }
        #expect(throws: GzipError.malformed) { try DeflateBlocks.decompressed([], bytesMax: 10) }
    }
}
