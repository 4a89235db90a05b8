import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import Synchronization
import Testing

/// Responses to requests for files: those of a server, and those of something on the way to it.
@Suite(.timeLimit(.minutes(5))) struct MediaResponseTests {
    private static let file = SampleFile(count: 1000)
    private static let session = UploadSession(location: "/v1/uploads/abc", file: file.attachment)
    private static let receipt = #"{"sha256":"\#(file.attachment.sha256)","size":1000}"#
    private static let reason = #"{"code":"x","detail":"y"}"#

    static func withMedia(
        expectation: @escaping ScriptedHTTPServer.Script = ScriptedHTTPServer.continues,
        script: @escaping ScriptedHTTPServer.Script,
        configuration: HTTPTransportConfiguration = .unhurried,
        body: (_ server: ScriptedHTTPServer, _ media: any MediaStore) async throws -> Void
    ) async throws {
        try await ScriptedHTTPServer.run(expectation: expectation, script: script) { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)", configuration) { transport in
                try await body(server, try #require(transport.media))
            }
        }
    }

    /// The name of an error; `ok` without one.
    static func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "ok"
        } catch {
            return (error as? TransportError)?.name ?? "\(error)"
        }
    }

    /// A response with or without the protocol's header.
    static func answer(
        _ status: Int, _ headers: [(String, String)] = [], _ body: String = "", byServer: Bool = true
    ) -> ScriptedHTTPServer.Step {
        .answer(status, headers + (byServer ? [("Causeway-Protocol", "1")] : []), body)
    }

    // MARK: - Uploads

    @Test(arguments: [false, true]) func aLimitIsLearnedFromAServerOnly(byServer: Bool) async throws {
        try await Self.withMedia { request in
            request.method == "HEAD"
                ? [Self.answer(404)]
                : [Self.answer(413, [("Upload-Limit", "max-size=50")], Self.reason, byServer: byServer)]
        } body: { _, media in
            for source in [nil, Self.file] {
                let name = await Self.outcome { _ = try await media.begin(Self.file.attachment, from: source) }
                #expect(name == (byServer ? "refused(x)" : "inDoubt"))
                #expect(media.fileBytesMax == (byServer ? 50 : Limits.fileBytesMax))
            }
        }
    }

    private static func mismatch(_ expected: Int) -> ScriptedHTTPServer.Step {
        answer(
            409, [("Upload-Offset", "\(expected)")],
            #"{"type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset","#
                + #""expected-offset":\#(expected)}"#)
    }

    /// Responses to the appends of an upload, one after the other; each request for the offset gets the next of these.
    private final class Appends: Sendable {
        private let left: Mutex<(steps: [ScriptedHTTPServer.Step], offsets: [Int])>

        init(_ steps: [ScriptedHTTPServer.Step], offsets: [Int] = []) { left = Mutex((steps: steps, offsets: offsets)) }

        func respond(to request: ScriptedHTTPServer.Request) -> [ScriptedHTTPServer.Step] {
            left.withLock { left in
                if request.method == "HEAD" {
                    let offset = left.offsets.isEmpty ? 0 : left.offsets.removeFirst()
                    return [MediaResponseTests.answer(204, [("Upload-Offset", "\(offset)")])]
                }
                return left.steps.isEmpty ? [.close] : [left.steps.removeFirst()]
            }
        }
    }

    private static func offsetsSent(to server: ScriptedHTTPServer) -> String {
        server.requests.filter { $0.method == "PATCH" }.compactMap { $0.header("Upload-Offset") }
            .joined(separator: " ")
    }

    @Test func aServerThatNamesOffsetsInTurnIsLeft() async throws {
        let appends = Appends([200, 100, 200, 100, 200, 100, 200, 100].map(Self.mismatch))
        try await Self.withMedia {
            appends.respond(to: $0)
        } body: { server, media in
            let name = await Self.outcome { _ = try await media.send(Self.file, to: Self.session, from: 0) { _ in } }
            #expect(name == "transient(offsetMismatch)")
            #expect(Self.offsetsSent(to: server) == "0 200 100 200")
        }
    }

    /// The count begins anew once the upload came forward, and only then.
    @Test(arguments: [true, false]) func threeOffsetsInARowAreFollowed(comesForward: Bool) async throws {
        var steps = [200, 100, 200].map(Self.mismatch)
        steps.append(.close)
        steps.append(contentsOf: [500, 400, 500].map(Self.mismatch))
        steps.append(.hub(200, Self.receipt))
        let appends = Appends(steps, offsets: comesForward ? [300] : [201])
        try await Self.withMedia {
            appends.respond(to: $0)
        } body: { server, media in
            let start: Int64 = comesForward ? 0 : 250
            let name = await Self.outcome {
                let receipt = try await media.send(Self.file, to: Self.session, from: start) { _ in }
                #expect(receipt == Self.file.receipt)
            }
            #expect(name == (comesForward ? "ok" : "transient(offsetMismatch)"))
            let sent = comesForward ? "0 200 100 200 300 500 400 500" : "250 200 100 200 201"
            #expect(Self.offsetsSent(to: server) == sent)
        }
    }

    @Test func aMismatchOfEqualOffsetsIsNotFollowed() async throws {
        let appends = Appends([Self.mismatch(100)], offsets: [100])
        try await Self.withMedia {
            appends.respond(to: $0)
        } body: { server, media in
            let name = await Self.outcome { _ = try await media.send(Self.file, to: Self.session, from: 100) { _ in } }
            #expect(name == "inDoubt")
            #expect(Self.offsetsSent(to: server) == "100")
        }
    }

    static let cancellations: [(status: Int, byServer: Bool, expected: String)] = [
        (204, true, "ok"), (200, true, "ok"), (404, true, "ok"), (500, true, "transient(x)"),
        (403, true, "actionRequired(tokenRefused)"), (204, false, "inDoubt"), (404, false, "inDoubt"),
    ]

    @Test(arguments: cancellations)
    func anUploadIsCancelledByAServerOnly(_ row: (status: Int, byServer: Bool, expected: String)) async throws {
        try await Self.withMedia { _ in
            [Self.answer(row.status, [], row.status == 204 ? "" : Self.reason, byServer: row.byServer)]
        } body: { _, media in
            let name = await Self.outcome { try await media.cancel(Self.session) }
            #expect(name == row.expected)
        }
    }

    static let offsets: [(fields: [(String, String)], expected: String)] = [
        ([("Upload-Offset", "500")], "500"), ([("Upload-Offset", "1000;a=1")], "1000"),
        ([("Upload-Offset", "0")], "0"), ([], "inDoubt"), ([("Upload-Offset", "-1")], "inDoubt"),
        ([("Upload-Offset", "1001")], "inDoubt"), ([("Upload-Offset", "1e2")], "inDoubt"),
        ([("Upload-Offset", "")], "inDoubt"), ([("Upload-Offset", "0000000000000500")], "inDoubt"),
        ([("Upload-Offset", "500"), ("Upload-Offset", "500")], "inDoubt"),
    ]

    @Test(arguments: offsets)
    func anOffsetIsAByteOfTheFile(_ row: (fields: [(String, String)], expected: String)) async throws {
        try await Self.withMedia { _ in
            [Self.answer(204, row.fields)]
        } body: { _, media in
            let found = Mutex(Int64(-1))
            let name = await Self.outcome {
                let offset = try await media.offset(of: Self.session)
                found.withLock { $0 = offset }
            }
            #expect((name == "ok" ? "\(found.withLock { $0 })" : name) == row.expected)
        }
    }

    static let appends: [(step: ScriptedHTTPServer.Step, expected: String)] = [
        (.hub(200, receipt), "ok"),
        (.hub(200, receipt.replacing("1000", with: "999")), "inDoubt"),
        (.hub(200, #"{"sha256":"\#(SampleFile(count: 1).attachment.sha256)","size":1000}"#), "inDoubt"),
        (.hub(200, "{}"), "inDoubt"),
        (.hub(404, reason), "refused(sessionUnknown)"),
        (.answer(404, [], reason), "inDoubt"),
        (.hub(409, reason), "refused(x)"),
        (.hub(409, #"{"code":"x","detail":"y","expected-offset":1001}"#), "refused(x)"),
        (.hub(409, #"{"code":"x","detail":"y","expected-offset":-1}"#), "refused(x)"),
        (.answer(409, [], #"{"expected-offset":500}"#), "inDoubt"),
        (.hub(429, reason), "rateLimited(5)"),
        (.hub(507, reason), "refused(x)"),
        (.hub(507, reason, [("Retry-After", "7")]), "rateLimited(7)"),
        (.hub(500, reason), "transient(x)"),
    ]

    @Test(arguments: appends)
    func aResponseToAnAppendIsClassified(_ row: (step: ScriptedHTTPServer.Step, expected: String)) async throws {
        try await Self.withMedia { request in
            // A connection that brought nothing is not followed by another one.
            request.method == "HEAD" ? [Self.answer(204, [("Upload-Offset", "0")])] : [row.step]
        } body: { server, media in
            let name = await Self.outcome { _ = try await media.send(Self.file, to: Self.session, from: 0) { _ in } }
            #expect(name == row.expected)
            #expect(server.requests.filter { $0.method == "PATCH" }.count == 1)
        }
    }

    /// A report that comes late, or was made by another part of the server, takes nothing back.
    @Test func progressOnlyGrows() async throws {
        let reports = [500, 300, 500, 700].map {
            ScriptedHTTPServer.Step.write(
                "HTTP/1.1 104 Upload\r\nUpload-Draft-Interop-Version: 8\r\nUpload-Offset: \($0)\r\n\r\n")
        }
        try await Self.withMedia { _ in
            reports + [.hub(200, Self.receipt)]
        } body: { _, media in
            let progress = Mutex<[Int64]>([])
            _ = try await media.send(Self.file, to: Self.session, from: 400) { bytes in
                progress.withLock { $0.append(bytes) }
            }
            #expect(progress.withLock { $0 } == [500, 700])
        }
    }

    /// The response to the last append was lost: the file is there, and the upload is none any more.
    @Test(arguments: [true, false]) func aCompletedUploadIsAFile(isThere: Bool) async throws {
        let problem =
            #"{"type":"https://iana.org/assignments/http-problem-types#completed-upload","#
            + #""code":"completed","detail":"y"}"#
        try await Self.withMedia { request in
            guard request.method == "HEAD" else { return [.hub(400, problem)] }
            let length = isThere ? 1000 : 999
            return [.write("HTTP/1.1 200 OK\r\nCauseway-Protocol: 1\r\nContent-Length: \(length)\r\n\r\n")]
        } body: { server, media in
            let name = await Self.outcome {
                let receipt = try await media.send(Self.file, to: Self.session, from: 0) { _ in }
                #expect(receipt == Self.file.receipt)
            }
            #expect(name == (isThere ? "ok" : "refused(completed)"))
            #expect(server.requests.last?.path == "/v1/blobs/\(Self.file.attachment.sha256)")
        }
    }

    // MARK: - Downloads

    /// The bytes that a download passes on, and the name of its error.
    private static func download(
        _ file: CausewayModels.Attachment, from offset: Int64 = 0, by media: any MediaStore
    ) async -> (bytes: String, name: String) {
        let received = Mutex("")
        let name = await outcome {
            try await media.download(file, from: offset) { part throws(TransportError) in
                received.withLock { $0 += String(decoding: part, as: UTF8.self) }
            }
        }
        return (received.withLock { $0 }, name)
    }

    private static func attachment(of bytes: Int64) -> CausewayModels.Attachment {
        var attachment = file.attachment
        attachment.size = bytes
        return attachment
    }

    /// Pages that are shorter than the file, as long, or longer.
    @Test(arguments: [9, 10, 11, 100_000]) func thePageOfAPortalIsNotAFile(count: Int) async throws {
        let page = String(repeating: "x", count: count)
        try await Self.withMedia { request in
            request.header("Range") == nil
                ? [Self.answer(200, [("Content-Type", "text/html")], page, byServer: false)]
                : [Self.answer(206, [("Content-Range", "bytes 4-9/10")], page, byServer: false)]
        } body: { server, media in
            for offset in [0, 4] as [Int64] {
                let (bytes, name) = await Self.download(Self.attachment(of: 10), from: offset, by: media)
                #expect(bytes.isEmpty)
                #expect(name == "inDoubt")
            }
            #expect(server.requests.count == 2, "asked once each")
        }
    }

    @Test func aFileOfAnotherVersionOfTheProtocolIsNotTaken() async throws {
        try await Self.withMedia { _ in
            [.answer(200, [("Causeway-Protocol", "2")], "0123456789")]
        } body: { _, media in
            let (bytes, name) = await Self.download(Self.attachment(of: 10), by: media)
            #expect(bytes.isEmpty)
            #expect(name == "actionRequired(protocolMismatch)")
        }
    }

    /// Two bytes more than the file has, together with the last ones of it or apart from them. A chunk of its own is
    /// passed on apart, unless the machine is so busy that the next one is there before.
    @Test(arguments: [false, true]) func bytesBeyondTheEndAreNoticedWheneverTheyCome(apart: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nCauseway-Protocol: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await Self.withMedia { _ in
            apart
                ? [
                    .write(head + "a\r\n0123456789\r\n"), .wait(.milliseconds(100)), .write("2\r\nxx\r\n0\r\n\r\n"),
                ] : [.write(head + "c\r\n0123456789xx\r\n0\r\n\r\n")]
        } body: { server, media in
            let (bytes, name) = await Self.download(Self.attachment(of: 10), by: media)
            #expect(name == "inDoubt")
            #expect(["", "0123456789"].contains(bytes))
            #expect(server.requests.count == 1, "the rest of the file is not asked for")
        }
    }

    static let parts: [(status: Int, range: [String], expected: String)] = [
        (206, ["bytes 4-9/10"], "ok"), (206, ["Bytes 4-9/*"], "ok"), (206, ["bytes 3-9/10"], "inDoubt"),
        (206, ["bytes 0-5/10"], "inDoubt"), (206, [], "inDoubt"), (206, ["lines 4-9/10"], "inDoubt"),
        (206, ["bytes 4-9/10", "bytes 4-9/10"], "inDoubt"), (200, ["bytes 4-9/10"], "inDoubt"),
        (204, ["bytes 4-9/10"], "inDoubt"),
    ]

    @Test(arguments: parts)
    func onlyTheRequestedBytesArePassedOn(
        _ row: (status: Int, range: [String], expected: String)
    ) async throws {
        try await Self.withMedia { _ in
            [Self.answer(row.status, row.range.map { ("Content-Range", $0) }, row.status == 204 ? "" : "456789")]
        } body: { _, media in
            let (bytes, name) = await Self.download(Self.attachment(of: 10), from: 4, by: media)
            #expect(name == row.expected)
            #expect(bytes == (row.expected == "ok" ? "456789" : ""))
        }
    }

    @Test func aByteThatTheFileDoesNotHaveIsNotAskedFor() async throws {
        try await Self.withMedia { _ in
            []
        } body: { server, media in
            for (offset, expected) in [(-1, "refused(offsetInvalid)"), (11, "refused(offsetInvalid)"), (10, "ok")] {
                let name = await Self.download(Self.attachment(of: 10), from: Int64(offset), by: media).name
                #expect(name == expected)
            }
            #expect(server.requests.isEmpty)
        }
    }
}
