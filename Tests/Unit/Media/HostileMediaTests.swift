import CausewayMedia
import CausewayModels
import Testing

/// Files that are cut, damaged, or made to keep a parser busy.
@Suite struct HostileMediaTests {
    private static let files: [[UInt8]] =
        EncodedFile.allCases.map(\.bytes) + HandmadeFile.all.map(\.bytes).filter { $0.count < 5000 }

    /// Checks the bounds of every description, whatever the file.
    private func check(_ found: MediaDescription) {
        #expect(Attachment.isContentType(found.contentType))
        #expect((found.width == nil) == (found.height == nil))
        #expect(found.width.map { Attachment.side($0) == $0 } ?? true)
        #expect(found.height.map { Attachment.side($0) == $0 } ?? true)
        #expect(found.duration.map { Attachment.duration($0) == $0 } ?? true)
    }

    @Test(arguments: files.indices) func aFileCutAnywhereIsDescribed(index: Int) {
        let file = Self.files[index]
        for length in file.indices { check(describe(Array(file[..<length]))) }
    }

    /// The header alone is there, and the file is said to be longer.
    @Test(arguments: files.indices) func aFileThatCannotBeReadToItsEndIsDescribed(index: Int) {
        let file = Self.files[index]
        for size in [Int64(file.count) * 2, 1 << 32, .max] {
            check(
                MediaInspector.describe(size: size) { offset, count in
                    let start = min(Int(clamping: offset), file.count)
                    return Array(file[start..<min(start + count, file.count)])
                })
        }
    }

    @Test(arguments: files.indices) func aDamagedFileIsDescribed(index: Int) {
        let file = Self.files[index]
        var random = SplitMix64(seed: UInt64(index))
        for _ in 0..<200 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...8, using: &random) where !damaged.isEmpty {
                let place = Int.random(in: damaged.indices, using: &random)
                damaged[place] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            check(describe(damaged))
        }
    }

    /// Every length and number of a header is the largest there is.
    @Test(arguments: files.indices) func largeNumbersEverywhereAreDescribed(index: Int) {
        let file = Self.files[index]
        for place in file.indices {
            var damaged = file
            for offset in place..<min(place + 8, file.count) { damaged[offset] = 0xFF }
            check(describe(damaged))
        }
    }

    /// Endless chains of empty parts: the budget ends them, and the reads stay few.
    @Test(arguments: [
        ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0, 0, 2], [0xFF, 0xE0, 0, 2]),
        ("JPEG of fill bytes", [0xFF, 0xD8, 0xFF], [0xFF]),
        ("MP4", box("ftyp", text("isom"), zeros(4)), big(8, 4) + text("free")),
        ("MP4 of tracks", box("ftyp", text("isom"), zeros(4)) + big(0, 4) + text("moov"), big(8, 4) + text("trak")),
        ("HEIC", box("ftyp", text("heic"), zeros(4)), big(8, 4) + text("free")),
        ("WAV", text("RIFF") + zeros(4) + text("WAVE"), chunk("junk", [])),
        ("MP3 of tags", [], text("ID3") + zeros(7)),
        ("Ogg", text("OggS") + zeros(22) + [0] + [1] + text("vorbis") + zeros(5) + big(1, 4), text("OggS")),
    ])
    func anEndlessFileCostsFewReads(name: String, head: [UInt8], part: [UInt8]) {
        let size: Int64 = 1 << 34
        var reads = 0
        var bytes = 0
        let found = MediaInspector.describe(size: size) { offset, count in
            reads += 1
            bytes += count
            return (0..<count).map { index in
                let place = Int(offset) + index
                return place < head.count ? head[place] : part[(place - head.count) % part.count]
            }
        }
        #expect(reads <= 64 && bytes <= 262_144, "\(name)")
        #expect(found.contentType != MediaDescription.unknownType, "\(name)")
    }

    @Test func mostFilesTakeOneRead() {
        for file in EncodedFile.allCases {
            var reads = 0
            let bytes = file.bytes
            _ = MediaInspector.describe(size: Int64(bytes.count)) { offset, count in
                reads += 1
                return Array(bytes[Int(offset)..<Int(offset) + count])
            }
            #expect(reads == 1, "\(file)")
        }
    }
}
