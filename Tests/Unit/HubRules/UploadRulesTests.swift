import CausewayHubRules
import Testing

@Suite struct UploadRulesTests {
    private typealias Content = UploadRules.Content

    @Test func contentIsAdmittedWhereTheUploadContinues() {
        let upload = UploadRules.State(length: 10, offset: 4, isComplete: false)
        let rows: [(Content, UploadRules.Verdict)] = [
            (Content(offset: 4, isRest: false, announced: 0), .receive(bytesMax: 6)),
            (Content(offset: 4, isRest: false, announced: 6), .receive(bytesMax: 6)),
            (Content(offset: 4, isRest: false, announced: nil), .receive(bytesMax: 6)),
            (Content(offset: 4, isRest: true, announced: 6, length: 10), .receive(bytesMax: 6)),
            (Content(offset: 4, isRest: true, announced: nil), .receive(bytesMax: 6)),
            (Content(offset: 3, isRest: true, announced: 7), .mismatchingOffset(expected: 4, provided: 3)),
            (Content(offset: 5, isRest: false, announced: 1), .mismatchingOffset(expected: 4, provided: 5)),
            (Content(offset: 4, isRest: false, announced: 7), .inconsistentLength),
            (Content(offset: 4, isRest: true, announced: 5), .inconsistentLength),
            (Content(offset: 4, isRest: true, announced: 7), .inconsistentLength),
            (Content(offset: 4, isRest: false, announced: 1, length: 11), .inconsistentLength),
        ]
        for (content, verdict) in rows { #expect(UploadRules.admit(content, to: upload) == verdict, "\(content)") }
    }

    @Test func aCompleteUploadAdmitsNothing() {
        let upload = UploadRules.State(length: 10, offset: 10, isComplete: true)
        #expect(UploadRules.admit(Content(offset: 10, isRest: true, announced: 0), to: upload) == .completed)
        #expect(UploadRules.admit(Content(offset: 10, isRest: true, announced: 1), to: upload) == .inconsistentLength)
        #expect(
            UploadRules.admit(Content(offset: 4, isRest: true, announced: 6), to: upload)
                == .mismatchingOffset(expected: 10, provided: 4))
    }

    @Test func contentEndsAnUploadOnlyWhenNothingIsMissing() {
        let upload = UploadRules.State(length: 10, offset: 4, isComplete: false)
        let rows: [(Content, Int64, UploadRules.End)] = [
            (Content(offset: 4, isRest: true, announced: 6), 6, .verify),
            (Content(offset: 4, isRest: true, announced: 6), 5, .incomplete),
            (Content(offset: 4, isRest: false, announced: 6), 6, .incomplete),
            (Content(offset: 4, isRest: true, announced: nil), 6, .verify),
            (Content(offset: 4, isRest: true, announced: nil), 5, .short),
        ]
        for (content, received, end) in rows {
            #expect(UploadRules.end(of: content, received: received, upload) == end, "\(content), \(received)")
        }
    }

    @Test func limitsAreForEachAccountAndTheDisk() {
        let limits = BlobLimits(
            fileBytesMax: 100, pendingUploadsMax: 2, quotaBytes: 150, freeBytesMin: 1000, uploadSecondsMax: 1,
            idleSecondsMin: 1, unattachedSecondsMax: 1, bytesPerSecondMin: 1)
        let rows: [(Int64, MediaUsage, Int64, UploadRefusal?)] = [
            (100, MediaUsage(), 1100, nil), (101, MediaUsage(), 9999, .fileTooLarge),
            (1, MediaUsage(pendingUploads: 2, pendingBytes: 2), 9999, .tooManyUploads),
            (50, MediaUsage(pendingUploads: 1, pendingBytes: 40, storedBytes: 60), 9999, nil),
            (51, MediaUsage(pendingUploads: 1, pendingBytes: 40, storedBytes: 60), 9999, .quotaExceeded(left: 50)),
            (1, MediaUsage(storedBytes: 200), 9999, .quotaExceeded(left: 0)), (100, MediaUsage(), 1099, .diskFull),
            (.max, MediaUsage(), 0, .fileTooLarge), (0, MediaUsage(), 0, .diskFull),
        ]
        for (size, usage, free, refusal) in rows {
            #expect(limits.refusal(ofFile: size, usage, freeBytes: free) == refusal, "\(size) \(usage) \(free)")
        }
        let full = MediaUsage(pendingUploads: 2, pendingBytes: 100, storedBytes: 50)
        let eased: [(UploadRefusal, Int64, MediaUsage, Bool)] = [
            (.tooManyUploads, 100, full, true), (.tooManyUploads, 101, full, false),
            (.quotaExceeded(left: 0), 100, full, true), (.quotaExceeded(left: 0), 101, full, false),
            (.quotaExceeded(left: 0), 1, MediaUsage(storedBytes: 50), false), (.fileTooLarge, 1, full, false),
            (.diskFull, 1, full, false),
        ]
        for (refusal, size, usage, isEased) in eased {
            #expect(limits.isEased(refusal, ofFile: size, usage) == isEased, "\(refusal) \(size) \(usage)")
        }
    }

    @Test func theUploadThatWasIdleLongestMakesRoom() {
        func idlest(_ uploads: [(name: String, idle: Duration)]) -> String? {
            UploadRules.idlest(of: uploads, atLeast: .seconds(60))
        }
        #expect(idlest([]) == nil)
        #expect(idlest([("a", .seconds(59)), ("b", .seconds(-5))]) == nil)
        #expect(idlest([("a", .seconds(59)), ("b", .seconds(60))]) == "b")
        #expect(idlest([("c", .seconds(70)), ("b", .seconds(90)), ("a", .seconds(80))]) == "b")
        #expect(idlest([("c", .seconds(70)), ("b", .seconds(70))]) == "b")
    }
}

@Suite struct InlineMediaTypeTests {
    private static func head(_ parts: String..., at offset: Int = 0) -> [UInt8] {
        Array(repeating: 0, count: offset) + parts.flatMap { Array($0.utf8) }
    }

    @Test func theTypeIsThatOfTheContent() {
        let heads: [(InlineMediaType, [UInt8])] = [
            (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xDB]),
            (.gif, Self.head("GIF89a")), (.webp, Self.head("RIFF", "1234", "WEBP")),
            (.wave, Self.head("RIFF", "1234", "WAVE")), (.avif, Self.head("ftypavif", at: 4)),
            (.heic, Self.head("ftypheic", at: 4)), (.mp4Video, Self.head("ftypavc1", at: 4)),
            (.mp4Video, Self.head("ftypisom", at: 4)), (.mp4Audio, Self.head("ftypM4A ", at: 4)),
            (.webm, [0x1A, 0x45, 0xDF, 0xA3]), (.oggVideo, Self.head("OggS")), (.mpeg, [0xFF, 0xFB, 0x90, 0x64]),
            (.mpeg, Self.head("ID3")),
        ]
        for (type, head) in heads {
            #expect(InlineMediaType.served(head: head) == type.rawValue)
            #expect(InlineMediaType.isInline(type.rawValue))
            for count in 0..<3 {
                #expect(InlineMediaType.served(head: Array(head.prefix(count))) == InlineMediaType.bytes)
            }
        }
    }

    /// Frames of other layers are none that browsers play, and those with reserved values are none at all.
    @Test(
        arguments: [
            [0xFF, 0xFD, 0x90, 0x64], [0xFF, 0xEB, 0x90, 0x64], [0xFF, 0xFB, 0xF0, 0x64], [0xFF, 0xFB, 0x9C, 0x64],
            [0xFF, 0xFB, 0x90], [0xFE, 0xFB, 0x90, 0x64],
        ] as [[UInt8]])
    func onlyFramesOfLayerThreeAreAudio(head: [UInt8]) {
        #expect(InlineMediaType.served(head: head) == InlineMediaType.bytes)
    }

    /// A brand counts in the box that begins a file.
    @Test(arguments: ["<html>", "<svg/>", "%PDF-1.7", "text", "", "12345678avif", "1234ftypnone", "RIFF1234AVI "])
    func everythingElseIsBytes(content: String) {
        #expect(InlineMediaType.served(head: Array(content.utf8)) == InlineMediaType.bytes)
    }

    @Test(arguments: ["text/html", "image/svg+xml", "application/pdf", "", InlineMediaType.bytes])
    func everyOtherTypeIsSaved(type: String) { #expect(!InlineMediaType.isInline(type)) }
}

@Suite struct BlobNameTests {
    @Test func namesAreHexadecimalInLowerCase() throws {
        let text = String(repeating: "0a", count: 32)
        let name = try #require(BlobName(text))
        #expect(name.text == text)
        #expect(BlobName(bytes: name.bytes) == name)
        for wrong in [
            "", "0A" + text.dropFirst(2), String(text.dropLast()), text + "00", String(text.dropLast(2)) + "zz",
        ] {
            #expect(BlobName(wrong) == nil, "\(wrong)")
        }
        #expect(UploadID(String(repeating: "ff", count: 16))?.bytes == Array(repeating: 255, count: 16))
        #expect(UploadID("ff") == nil)
    }
}
