import CausewayHTTPTransport
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Foundation
import NIOCore
import Testing

/// Requests for files, and the fields by which a server names uploads and limits.
@Suite(.timeLimit(.minutes(5))) struct MediaRequestTests {
    private static let file = SampleFile(count: 1000)
    private static let session = UploadSession(location: "/v1/uploads/abc", file: file.attachment)
    private static let receipt = #"{"sha256":"\#(file.attachment.sha256)","size":1000}"#

    @Test func anUploadIsCreatedAndContinued() async throws {
        try await MediaResponseTests.withMedia { request in
            switch request.method {
            case "HEAD": [MediaResponseTests.answer(404)]
            case "POST": [MediaResponseTests.answer(201, [("Location", "/v1/uploads/abc")])]
            default: [.hub(200, Self.receipt)]
            }
        } body: { server, media in
            #expect(try await media.begin(Self.file.attachment) == .session(Self.session))
            _ = try await media.send(Self.file, to: Self.session, from: 400) { _ in }
            #expect(
                server.requests.map { "\($0.method) \($0.path)" } == [
                    "HEAD /v1/blobs/\(Self.file.attachment.sha256)", "POST /v1/uploads", "PATCH /v1/uploads/abc",
                ])
            let (create, append) = (server.requests[1], server.requests[2])
            let digest = Data(Digest.sha256(Self.file.bytes)).base64EncodedString()
            let names = [
                "Upload-Complete", "Upload-Length", "Upload-Offset", "Repr-Digest", "Content-Type",
                "Upload-Draft-Interop-Version",
            ]
            #expect(
                names.map { create.header($0) ?? "-" }
                    == ["?0", "1000", "-", "sha-256=:\(digest):", "application/octet-stream", "8"])
            #expect(create.body.readableBytes == 0)
            #expect(
                names.map { append.header($0) ?? "-" } == ["?1", "-", "400", "-", "application/partial-upload", "8"])
            #expect(Array(append.body.readableBytesView) == Array(Self.file.bytes[400...]))
            for request in server.requests {
                #expect(request.header("Authorization") == "Bearer \(Sample.tokenText)")
                #expect(request.header("User-Agent") == "causeway/0.1")
            }
        }
    }

    @Test func aSmallFileIsPartOfTheRequestThatCreatesItsUpload() async throws {
        try await MediaResponseTests.withMedia { _ in
            [.hub(200, Self.receipt)]
        } body: { server, media in
            #expect(try await media.begin(Self.file.attachment, from: Self.file) == .present(Self.file.receipt))
            let create = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(create.method == "POST" && create.header("Upload-Complete") == "?1")
            #expect(create.header("Expect") == "100-continue")
            #expect(Array(create.body.readableBytesView) == Self.file.bytes)
        }
    }

    /// A server that knows it by the header gets no byte of it.
    @Test func aSmallFileThatIsThereIsNotSent() async throws {
        let file = SampleFile(count: 1000)
        try await MediaResponseTests.withMedia { _ in
            [.hub(200, Self.receipt)]
        } script: { _ in
            []
        } body: { server, media in
            let start = try await media.begin(file.attachment, from: file)
            #expect(start == .present(file.receipt))
            #expect(server.requests.isEmpty)
        }
    }

    /// A server that takes no such request, and one that closes the connection that the request came on: nothing was
    /// sent, so the upload is created without content.
    @Test(arguments: [MediaResponseTests.answer(417, [], #"{"code":"x","detail":"y"}"#), .close])
    func aServerWithoutExpectationsGetsTheFileApart(_ step: ScriptedHTTPServer.Step) async throws {
        let file = SampleFile(count: 1000)
        try await MediaResponseTests.withMedia { _ in
            [step, .close]
        } script: { request in
            switch request.method {
            case "HEAD": [MediaResponseTests.answer(404)]
            case "POST": [MediaResponseTests.answer(201, [("Location", "/v1/uploads/abc")])]
            default: []
            }
        } body: { server, media in
            let start = try await media.begin(file.attachment, from: file)
            #expect(start == .session(Self.session))
            #expect(server.requests.map(\.method) == ["HEAD", "POST"])
            #expect(server.requests.last?.header("Expect") == nil)
        }
    }

    /// A proxy that withholds interim responses costs a wait.
    @Test func aServerThatSaysNothingGetsTheFile() async throws {
        let file = SampleFile(count: 1000)
        try await MediaResponseTests.withMedia(
            expectation: { _ in [] }, script: { _ in [.hub(200, Self.receipt)] },
            configuration: .unhurried(continueWait: .milliseconds(50)),
            body: { server, media in
                let start = try await media.begin(file.attachment, from: file)
                #expect(start == .present(file.receipt))
                #expect(server.requests.map(\.method) == ["POST"])
            })
        #expect(file.bytesRead == 1000)
    }

    /// The response to a look at the file that the server may have; a file of another size is another file.
    @Test(arguments: [1000, 999]) func aFileThatIsThereIsNotSent(length: Int) async throws {
        try await MediaResponseTests.withMedia { request in
            request.method == "HEAD"
                ? [.write("HTTP/1.1 200 OK\r\nCauseway-Protocol: 1\r\nContent-Length: \(length)\r\n\r\n")]
                : [MediaResponseTests.answer(201, [("Location", "/v1/uploads/abc")])]
        } body: { server, media in
            let start = try await media.begin(Self.file.attachment)
            #expect(start == (length == 1000 ? .present(Self.file.receipt) : .session(Self.session)))
            #expect(server.requests.count == (length == 1000 ? 1 : 2))
        }
    }

    @Test func aHashThatIsNoneIsNotSent() async throws {
        try await MediaResponseTests.withMedia { _ in
            []
        } body: { server, media in
            let hash = Self.file.attachment.sha256
            let short = String(hash.dropLast())
            for text in ["", short, hash + "0", short + "g", "../" + String(hash.dropLast(3))] {
                var changed = Self.file.attachment
                changed.sha256 = text
                let attachment = changed
                let name = await MediaResponseTests.outcome { _ = try await media.begin(attachment) }
                #expect(name == "refused(hashInvalid)")
            }
            #expect(server.requests.isEmpty)
        }
    }

    static let locations: [(values: [String], isUpload: Bool)] = [
        (["/v1/uploads/abc"], true), (["https://elsewhere.example/base/v1/uploads/abc"], true),
        ([], false), (["/v1/uploads/abc", "/v1/uploads/abc"], false), (["/v1/uploads/"], false),
        (["/v1/other/abc"], false), (["/v1/uploads/a%20b"], false), (["/v1/uploads/a?b"], false),
        (["/v1/uploads/" + String(repeating: "a", count: 129)], false),
        (["/" + String(repeating: "a", count: 4096) + "/v1/uploads/abc"], false),
    ]

    /// The token is sent to no other server, whatever the location is.
    @Test(arguments: locations)
    func aLocationNamesAnUploadOfTheServer(_ row: (values: [String], isUpload: Bool)) async throws {
        try await MediaResponseTests.withMedia { request in
            request.method == "HEAD"
                ? [MediaResponseTests.answer(404)]
                : [MediaResponseTests.answer(201, row.values.map { ("Location", $0) })]
        } body: { server, media in
            let name = await MediaResponseTests.outcome {
                let start = try await media.begin(Self.file.attachment)
                #expect(start == .session(Self.session))
            }
            #expect(name == (row.isUpload ? "ok" : "inDoubt"))
            #expect(server.requests.count == 2)
        }
    }

    static let limits: [(values: [String], bytes: Int64?)] = [
        (["max-size=50"], 50), (["max-append-size=9, max-size=50;a=1"], 50), (["min-size=1", "max-size=50"], 50),
        (["max-size=0"], 0), (["max-size=-1"], nil), (["max-size=1e3"], nil), (["max-append-size=9"], nil),
        (["max-size=9999999999999999"], nil), (["max-size=999999999999999"], nil),
    ]

    /// At most the client's own limit.
    @Test(arguments: limits)
    func aLimitIsRead(_ row: (values: [String], bytes: Int64?)) async throws {
        try await MediaResponseTests.withMedia { _ in
            [MediaResponseTests.answer(204, [("Upload-Offset", "0")] + row.values.map { ("Upload-Limit", $0) })]
        } body: { _, media in
            let offset = try await media.offset(of: Self.session)
            #expect(offset == 0)
            #expect(media.fileBytesMax == row.bytes ?? Limits.fileBytesMax)
        }
    }

    @Test func aDownloadContinuesOnlyTheSameFile() async throws {
        try await MediaResponseTests.withMedia { _ in
            [MediaResponseTests.answer(404, [], #"{"code":"x","detail":"y"}"#)]
        } body: { server, media in
            for offset in [0, 4] as [Int64] {
                let name = await MediaResponseTests.outcome {
                    try await media.download(Self.file.attachment, from: offset) { _ throws(TransportError) in }
                }
                #expect(name == "refused(blobNotFound)")
            }
            let hash = Self.file.attachment.sha256
            #expect(server.requests.allSatisfy { $0.method == "GET" && $0.path == "/v1/blobs/\(hash)" })
            #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=4-"])
            #expect(server.requests.map { $0.header("If-Range") } == [nil, "\"\(hash)\""])
        }
    }
}
