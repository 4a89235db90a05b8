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
}
