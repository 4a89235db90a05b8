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

    private static func withMedia(
        script: @escaping ScriptedHTTPServer.Script,
        body: (_ server: ScriptedHTTPServer, _ media: any MediaStore) async throws -> Void
    ) async throws {
        try await ScriptedHTTPServer.run(script: script) { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                try await body(server, try #require(transport.media))
            }
        }
    }

    /// The name of an error; `ok` without one.
    private static func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "ok"
        } catch {
            return (error as? TransportError)?.name ?? "\(error)"
        }
    }

    /// A response with or without the protocol's header.
    private static func answer(
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

    private static func offsets(sentTo server: ScriptedHTTPServer) -> String {
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
            #expect(Self.offsets(sentTo: server) == "0 200 100 200")
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
            #expect(Self.offsets(sentTo: server) == sent)
        }
    }

    @Test func aMismatchOfEqualOffsetsIsNotFollowed() async throws {
        let appends = Appends([Self.mismatch(100)], offsets: [100])
        try await Self.withMedia {
            appends.respond(to: $0)
        } body: { server, media in
            let name = await Self.outcome { _ = try await media.send(Self.file, to: Self.session, from: 100) { _ in } }
            #expect(name == "inDoubt")
            #expect(Self.offsets(sentTo: server) == "100")
        }
    }

    @Test(
        arguments: [
            (204, true, "ok"), (200, true, "ok"), (404, true, "ok"), (500, true, "transient(x)"),
            (403, true, "actionRequired(tokenRefused)"), (204, false, "inDoubt"), (404, false, "inDoubt"),
        ])
    func anUploadIsCancelledByAServerOnly(status: Int, byServer: Bool, expected: String) async throws {
        try await Self.withMedia { _ in
            [Self.answer(status, [], status == 204 ? "" : Self.reason, byServer: byServer)]
        } body: { _, media in
            let name = await Self.outcome { try await media.cancel(Self.session) }
            #expect(name == expected)
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
}
