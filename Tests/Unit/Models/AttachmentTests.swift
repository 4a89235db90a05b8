import CausewayModels
import Foundation
import Testing

/// Not the attachments of the test library.
private typealias Attachment = CausewayModels.Attachment

@Suite struct AttachmentTests {
    private static let hash = String(repeating: "0a", count: 32)
    private static let whole = Attachment(
        name: "a.mp4", contentType: "video/mp4", size: 3, sha256: hash, width: 640, height: 480, duration: 1500,
        preview: [0, 1, 255])

    /// Attachments as they have been stored and sent since their dimensions were added. Never edited.
    private static let golden: [(Attachment, String)] = [
        (
            whole,
            #"{"contentType":"video\/mp4","duration":1500,"height":480,"name":"a.mp4","preview":"AAH\/","#
                + #""sha256":"\#(hash)","size":3,"width":640}"#
        ),
        (
            Attachment(name: "b", contentType: "image/gif", size: 0, sha256: hash, width: 1, height: 2),
            #"{"contentType":"image\/gif","height":2,"name":"b","sha256":"\#(hash)","size":0,"width":1}"#
        ),
    ]

    @Test(arguments: golden.indices) func codedAsAlways(index: Int) throws {
        let (attachment, text) = Self.golden[index]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(attachment), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(Attachment.self, from: Data(text.utf8)) == attachment)
        #expect(try JSONCoding.decode(Attachment.self, from: Array(text.utf8)) == attachment)
        let content = MessageContent.audio(attachment)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try content.jsonText == Array(encoder.encode(content)))
    }

    /// The four required keys, as an older version reads them.
    private struct Version1: Codable, Equatable {
        var name: String
        var contentType: String
        var size: Int64
        var sha256: String
    }

    @Test func anOlderVersionReadsWhatItKnows() throws {
        let coded = try JSONEncoder().encode(Self.whole)
        let old = try JSONDecoder().decode(Version1.self, from: coded)
        #expect(old == Version1(name: "a.mp4", contentType: "video/mp4", size: 3, sha256: Self.hash))
        let bare = Attachment(name: "a.mp4", contentType: "video/mp4", size: 3, sha256: Self.hash)
        #expect(try JSONDecoder().decode(Attachment.self, from: JSONEncoder().encode(old)) == bare)
    }

    @Test(arguments: [
        #""width":0"#, #""width":-1"#, #""width":16777217"#, #""width":1.5"#, #""width":"7""#, #""height":1e300"#,
        #""duration":-1"#, #""duration":1099511627777"#, #""preview":7"#, #""preview":"""#, #""preview":"?""#,
        #""width":null"#,
    ])
    func anInvalidDimensionIsReadAsAbsent(member: String) throws {
        let text = #"{"name":"a","contentType":"b/c","size":1,"sha256":"00",\#(member)}"#
        let expected = Attachment(name: "a", contentType: "b/c", size: 1, sha256: "00")
        #expect(try JSONCoding.decode(Attachment.self, from: Array(text.utf8)) == expected)
        #expect(try JSONDecoder().decode(Attachment.self, from: Data(text.utf8)) == expected)
    }

    @Test func aPreviewHasALimit() throws {
        var attachment = Self.whole
        for (count, isRead) in [(Limits.previewBytesMax, true), (Limits.previewBytesMax + 1, false)] {
            attachment.preview = [UInt8](repeating: 7, count: count)
            let read = try JSONCoding.decode(Attachment.self, from: Array(JSONEncoder().encode(attachment)))
            #expect(read.preview == (isRead ? attachment.preview : nil))
        }
    }

    private func problem(_ content: MessageContent, fileBytesMax: Int64 = 10) -> ContentProblem? {
        do throws(ContentProblem) {
            try content.validate(codedBytes: 0, within: ContentLimits(fileBytesMax: fileBytesMax))
            return nil
        } catch {
            return error
        }
    }

    /// One part of an attachment, changed.
    private struct Change: Sendable {
        var part: @Sendable (inout Attachment) -> Void
        var problem: ContentProblem?

        init(_ problem: ContentProblem?, _ part: @escaping @Sendable (inout Attachment) -> Void) {
            self.problem = problem
            self.part = part
        }
    }

    private static let names: [Change] = ["", "a/b", "..", "a\nb", #"a\b"#, String(repeating: "x", count: 256)].map {
        name in Change(.attachmentInvalid(.name)) { $0.name = name }
    }

    private static let contentTypes: [Change] = [
        "image", "image/", "a/b/c", "image/PNG", "text/html;charset=x", "a/" + String(repeating: "b", count: 126),
    ].map { type in Change(.attachmentInvalid(.contentType)) { $0.contentType = type } }

    private static let others: [Change] = [
        Change(.attachmentInvalid(.size)) { $0.size = -1 },
        Change(.fileTooLarge(bytes: 11, limit: 10)) { $0.size = 11 },
        Change(.attachmentInvalid(.sha256)) { $0.sha256 = "00" },
        Change(.attachmentInvalid(.sha256)) { $0.sha256 = hash.uppercased() },
        Change(.attachmentInvalid(.width)) { $0.width = 0 },
        Change(.attachmentInvalid(.height)) { $0.height = 1 << 25 },
        Change(.attachmentInvalid(.duration)) { $0.duration = -1 },
        Change(.attachmentInvalid(.preview)) { $0.preview = [] },
        Change(.previewTooLong(bytes: 2049)) { $0.preview = [UInt8](repeating: 0, count: 2049) },
        Change(nil) { $0.name = "Grüße (1).mp4" }, Change(nil) { $0.size = 0 },
        Change(nil) { $0.contentType = "a/b.c-d+e" },
        Change(nil) { $0 = Attachment(name: "a", contentType: "b/c", size: 1, sha256: hash) },
    ]

    @Test func everyPartIsChecked() {
        for change in Self.names + Self.contentTypes + Self.others {
            var attachment = Self.whole
            change.part(&attachment)
            #expect(problem(.file(attachment, caption: nil)) == change.problem, "\(attachment)")
            #expect(problem(.audio(attachment)) == change.problem, "\(attachment)")
        }
    }

    @Test func aCaptionHasALimitAndMayBeEmpty() {
        let long = String(repeating: "x", count: Limits.captionBytesMax + 1)
        #expect(problem(.image(Self.whole, caption: long)) == .captionTooLong(bytes: long.utf8.count))
        #expect(problem(.image(Self.whole, caption: String(long.dropLast()))) == nil)
        #expect(problem(.video(Self.whole, caption: "")) == nil)
    }

    @Test(arguments: [
        ("/a/b/photo 1.png", "photo 1.png"), ("photo.png", "photo.png"), ("../..", "file"), ("/", "file"),
        ("", "file"),
        ("a/b\nc\td", "b_c_d"), (#"a\..\b"#, "a_.._b"), ("x/\u{7F}\u{85}", "__"),
        ("/" + String(repeating: "ü", count: 200), String(repeating: "ü", count: 127)),
    ])
    func aPathYieldsAName(path: String, name: String) {
        #expect(Attachment.name(ofPath: path) == name)
    }
}
