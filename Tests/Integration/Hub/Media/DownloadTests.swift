import CausewayHub
import CausewayHubBlobs
import CausewayHubRules
import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOCore
import NIOHTTP1
import Testing

/// Files for the accounts that may read them, over the real stack.
@Suite struct DownloadTests {
    /// A reader uses its memory again, but not that of bytes which the caller still has.
    @Test func bytesThatWereReadStayAsTheyAre() async throws {
        let temporary = try TemporaryFolder()
        let file = SampleFile(count: 1000)
        let name = try #require(BlobName(bytes: file.sha256))
        let id = try #require(UploadID(bytes: [UInt8](repeating: 1, count: UploadID.bytesCount)))
        let blobs = try HubBlobFolder(path: temporary.path + "/blobs")
        try await blobs.createPart(id)
        let part = try #require(try await blobs.openPart(id))
        try await part.append(file.bytes)
        try await part.finish(as: name, size: 1000)
        let reader = try #require(try await blobs.open(name))
        var read: [ByteBuffer] = []
        for offset in stride(from: Int64(0), through: 1000, by: 300) {
            read.append(try await reader.read(at: offset, count: 300))
            // Those before it are used again in between.
            #expect(try await reader.read(at: 0, count: 50) == ByteBuffer(bytes: file.bytes[..<50]))
        }
        #expect(read.map(\.readableBytes) == [300, 300, 300, 100])
        #expect(read.flatMap { Array($0.readableBytesView) } == file.bytes)
        #expect(try await reader.read(at: 1000, count: 300).readableBytes == 0)
    }

    @Test func rangesAndConditions() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 1000)
            try await hub.client.upload(file)
            let tag = "\"\(file.name)\""
            let whole = try await hub.client.download(file)
            #expect(whole.status == 200)
            #expect(whole.body == file.bytes)
            #expect(whole.field("ETag") == tag)
            #expect(whole.field("Accept-Ranges") == "bytes")
            let rows: [(String, Int, Range<Int>)] = [
                ("bytes=0-0", 206, 0..<1), ("bytes=10-19", 206, 10..<20), ("bytes=990-", 206, 990..<1000),
                ("bytes=-5", 206, 995..<1000), ("bytes=-5000", 206, 0..<1000),
                ("bytes=0-99999999999999999999", 206, 0..<1000),
                ("bytes=5-4", 200, 0..<1000), ("bytes=0-1,3-4", 200, 0..<1000), ("bytes=a-b", 200, 0..<1000),
                ("lines=0-1", 200, 0..<1000), ("bytes=-", 200, 0..<1000),
            ]
            for (range, status, bytes) in rows {
                let answer = try await hub.client.download(file, headers: ["Range": range])
                #expect(answer.status == status, "\(range)")
                #expect(answer.body == Array(file.bytes[bytes]), "\(range)")
                let expected = status == 206 ? "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/1000" : nil
                #expect(answer.field("Content-Range") == expected)
            }
            for range in ["bytes=1000-", "bytes=1000-2000", "bytes=-0"] {
                let answer = try await hub.client.download(file, headers: ["Range": range])
                #expect(answer.status == 416, "\(range)")
                #expect(answer.field("Content-Range") == "bytes */1000")
            }
            for (condition, status) in [(tag, 206), ("\"other\"", 200), ("W/\(tag)", 200)] {
                let headers: HTTPHeaders = ["Range": "bytes=0-1", "If-Range": condition]
                #expect(try await hub.client.download(file, headers: headers).status == status)
            }
            for (list, status) in [(tag, 304), ("\"x\", W/\(tag)", 304), ("*", 304), ("\"x\"", 200)] {
                let answer = try await hub.client.download(file, headers: ["If-None-Match": list])
                #expect(answer.status == status, "\(list)")
                #expect(answer.field("ETag") == tag)
            }
            let head = try await hub.client.send(.HEAD, WireProtocol.blobPath(file.name))
            #expect(head.status == 200)
            #expect(head.field("Content-Length") == "1000")
            #expect(head.body == [])
            // A range is for GET alone (RFC 9110 §14.2).
            let ranged = try await hub.client.send(
                .HEAD, WireProtocol.blobPath(file.name), headers: ["Range": "bytes=0-1"])
            #expect(ranged.status == 200)
            #expect(ranged.field("Content-Length") == "1000")
        }
    }

    /// The type is that of the content, if it is harmless; everything else is bytes to be saved.
    @Test func aBrowserRunsNothing() async throws {
        try await HubFixture.running { hub in
            let html = Array("<html><script>alert(1)</script></html>".utf8)
            let rows: [(SampleFile, String, String)] = [
                (SampleFile.png, "image/png", "inline"),
                (SampleFile(Array("GIF89a/*".utf8) + html, type: "image/gif"), "image/gif", "inline"),
                (SampleFile(html, type: "image/png"), "application/octet-stream", "attachment"),
                (SampleFile(html + [1], type: "text/html"), "application/octet-stream", "attachment"),
                (SampleFile(Array("<svg/>".utf8), type: "image/svg+xml"), "application/octet-stream", "attachment"),
                (SampleFile(Array("%PDF-1.7".utf8), type: "application/pdf"), "application/octet-stream", "attachment"),
                (SampleFile([0xFF, 0xD8, 0xFF, 0xE0], type: "IMAGE/JPEG; x=y"), "image/jpeg", "inline"),
                (SampleFile([], type: "image/png"), "application/octet-stream", "attachment"),
                (SampleFile(SampleFile.png.bytes + [9], type: "text/html"), "image/png", "inline"),
            ]
            for (file, type, disposition) in rows {
                try await hub.client.upload(file)
                let answer = try await hub.client.download(file)
                #expect(answer.body == file.bytes)
                #expect(answer.field("Content-Type") == type, "\(file.type)")
                #expect(answer.field("Content-Disposition") == disposition)
                #expect(answer.field("X-Content-Type-Options") == "nosniff")
                #expect(answer.field("Content-Security-Policy") == "sandbox; default-src 'none'")
                #expect(answer.field("Cross-Origin-Resource-Policy") == "same-origin")
                #expect(answer.field("Referrer-Policy") == "no-referrer")
                #expect(answer.field("Cache-Control")?.hasPrefix("private, immutable, max-age=") == true)
            }
        }
    }

    /// The type of a file does not reveal that another account has uploaded it under another type.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func theTypeRevealsNoOtherUploader(on kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            let plain = SampleFile(SampleFile.png.bytes)
            let alone = SampleFile(SampleFile.png.bytes + [4])
            try await other.upload(SampleFile.png)
            for file in [plain, alone] {
                try await hub.client.upload(file)
                let answer = try await hub.client.send(.HEAD, WireProtocol.blobPath(file.name))
                #expect(answer.field("Content-Type") == "image/png")
            }
        }
    }

    /// Nothing in a response tells whether a file exists that the account may not read.
    @Test func anUnreadableFileIsLikeNone() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 100_000)
            try await hub.client.upload(file)
            let other = try await hub.client(of: "other")
            let unknown = SampleFile(count: 100_000, seed: 2)
            for method in [.GET, .HEAD] as [HTTPMethod] {
                for query in ["", "?message=\(id(1))"] {
                    var answers: [HubClient.Answer] = []
                    for file in [file, unknown] {
                        answers.append(
                            try await other.send(
                                method, WireProtocol.blobPath(file.name) + query, headers: ["Range": "bytes=0-1"]))
                    }
                    #expect(answers[0].status == 404)
                    #expect(answers[0].status == answers[1].status)
                    #expect(answers[0].body == answers[1].body)
                    var fields = answers.map {
                        $0.headers.map { "\($0.name): \($0.value)" }.filter { !$0.hasPrefix("Date") }
                    }
                    // Sealed anew for each response.
                    fields = fields.map { $0.filter { !$0.hasPrefix(WireProtocol.historyHeader) } }
                    #expect(fields[0] == fields[1])
                }
            }
            for name in ["x", file.name.uppercased(), String(repeating: "0", count: 65)] {
                #expect(try await hub.client.get(WireProtocol.blobPath(name)).errorCode == "blobNotFound")
            }
            #expect(
                try await hub.client.get(WireProtocol.blobPath(file.name) + "?message=x").errorCode == "queryInvalid")
        }
    }

    /// A slow reader holds one part of a file, and no one else's response waits for it.
    @Test func aLargeFileIsReadInParts() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 5_000_000)
            try await hub.client.upload(file)
            #expect(try await hub.client.download(file).body == file.bytes)
            let part = try await hub.client.download(file, headers: ["Range": "bytes=1234567-4234567"])
            #expect(part.body == Array(file.bytes[1_234_567...4_234_567]))
        }
    }
}
