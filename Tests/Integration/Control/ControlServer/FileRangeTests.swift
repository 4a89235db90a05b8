import Causeway
import CausewayControlAPI
import CausewayModels
import CausewayTestSupport
import Testing

/// Requests for a part of a file (RFC 9110, section 14).
@Suite struct FileRangeTests {
    private static let size: Int64 = 10

    private static func message() throws -> MessageDTO {
        let attachment = CausewayModels.Attachment(
            name: "a", contentType: "text/plain", size: size, sha256: String(repeating: "a", count: 64))
        return MessageDTO(
            Message(
                id: try #require(MessageID("0190a6b2-1c3d-7e4f-8a5b-000000000001")),
                channel: try #require(ChannelID("c")), sender: try #require(UserID("ann")),
                content: .file(attachment, caption: nil), createdAt: Timestamp(milliseconds: 1000), ordinal: 1,
                lane: nil, laneSequence: 0, syncState: .synced))
    }

    private static let cases: [(String?, Int, Int, String?)] = [
        (nil, 200, 10, nil), ("bytes=0-", 200, 10, nil), ("bytes=4-", 206, 6, "bytes 4-9/10"),
        ("bytes=9-", 206, 1, "bytes 9-9/10"), ("bytes=10-", 400, 0, nil), ("bytes=11-", 400, 0, nil),
    ]

    @Test(arguments: cases)
    func aPartIsNamed(_ range: String?, status: Int, count: Int, contentRange: String?) async throws {
        let folder = try TemporaryFolder(.short)
        let path = folder.path + "/s"
        let file = DeafService.File(message: try Self.message()) { body throws(ControlError) in
            try await body([UInt8](repeating: UInt8(ascii: "x"), count: count))
        }
        var fields = ["GET /v1/messages/\(file.message.id)/file HTTP/1.1", "Host: causeway"]
        if let range { fields.append("Range: \(range)") }
        let request = Array((fields.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        try await ControlWorld.serving(DeafService(file: file), at: path) {
            let answer = try await RawRequest.send(request, to: path)
            #expect(answer.status == status)
            let text = answer.text.lowercased()
            #expect(text.contains("content-range: ") == (contentRange != nil))
            if let contentRange { #expect(text.contains("\r\ncontent-range: \(contentRange)\r\n")) }
            #expect(status == 400 || text.hasSuffix("\r\n\r\n" + String(repeating: "x", count: count)))
        }
    }
}
