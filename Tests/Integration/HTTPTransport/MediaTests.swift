import CausewayHTTPTransport
import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Foundation
import Synchronization
import Testing

/// Uploads and downloads with the real hub, over real TLS, over connections that are cut.
@Suite(.timeLimit(.minutes(10))) struct MediaTests {
    // MARK: - The hub

    private struct Fixture: Sendable {
        let port: Int
        let folder: DataFolder
        let token: AccessToken
        let configuration: HTTPTransportConfiguration

        func transport(_ scheme: String = "https", port: Int? = nil) throws -> HTTPTransport {
            try HTTPTransport(to: "\(scheme)://localhost:\(port ?? self.port)", token: token, configuration)
        }

        /// Runs the hub, which is set up already.
        func running(
            at address: Int? = nil, change: (inout HubConfiguration) -> Void = { _ in },
            _ body: @Sendable (Int) async throws -> Void
        ) async throws {
            var configuration = HubConfiguration.secure(folder)
            if let address { configuration.port = address }
            change(&configuration)
            try await HubService.running(
                configuration, opening: SQLiteHubStorage.open, logger: Sample.silentLogger
            ) { hub in
                try await body(try await hub.port())
            }
        }
    }

    private static func withFolder(_ body: (Fixture) async throws -> Void) async throws {
        let (temporary, folder, token) = try await Sample.hubFolder()
        defer { withExtendedLifetime(temporary) {} }
        var configuration = HTTPTransportConfiguration.unhurried
        configuration.tls = TLSClientConfiguration(trust: .authorities(path: folder.authorityCertificate))
        try await body(Fixture(port: 0, folder: folder, token: token, configuration: configuration))
    }

    private static func withHub(
        change: (inout HubConfiguration) -> Void = { _ in }, _ body: @Sendable (Fixture) async throws -> Void
    ) async throws {
        try await withFolder { fixture in
            try await fixture.running(change: change) { port in
                try await body(
                    Fixture(
                        port: port, folder: fixture.folder, token: fixture.token,
                        configuration: fixture.configuration))
            }
        }
    }

    // MARK: - Uploads

    @Test(arguments: ["https", "wss", "auto"], [0, 1, 1_000, 1 << 20, 3_000_000])
    func aFileGoesToTheHubAndBack(scheme: String, size: Int) async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport(scheme)
            let media = try #require(transport.media)
            let file = SampleFile(count: size)
            let start = try await media.begin(file.attachment, from: file)
            if size <= 1 << 20 {
                #expect(start == .present(file.receipt), "a small file needs one request")
            } else {
                guard case .session(let session) = start else {
                    Issue.record("\(start)")
                    return
                }
                let receipt = try await media.send(file, to: session, from: 0) { _ in }
                #expect(receipt == file.receipt)
            }
            #expect(file.bytesRead == size)

            // The same file again: no more than its first part is read, while the hub is asked.
            #expect(try await media.begin(file.attachment, from: file) == .present(file.receipt))
            #expect(file.bytesRead <= size + media.partBytesMax)

            let received = Mutex<[UInt8]>([])
            try await media.download(file.attachment, from: 0) { part throws(TransportError) in
                received.withLock { $0 += part }
            }
            #expect(received.withLock { $0 } == file.bytes)
            await transport.close()
        }
    }

    @Test func anUploadContinuesAfterEveryCut() async throws {
        try await Self.withHub { fixture in
            let seed = SystemRandomNumberGenerator.seed()
            let size = 16_000_000
            try await FaultProxy.run(to: fixture.port) { connection in
                var generator = SplitMix64(seed: seed &+ UInt64(connection))
                return connection > 8
                    ? .none : .reset(.toServer, afterBytes: .random(in: 0...3_000_000, using: &generator))
            } body: { proxy, port in
                let transport = try fixture.transport(port: port)
                let media = try #require(transport.media)
                let file = SampleFile(count: size)
                let session = try await Self.session(of: file, media)
                let reports = Mutex<[Int64]>([])
                let receipt = try await Self.uploadAsAnOutbox(file, session, media) { bytes in
                    reports.withLock { $0.append(bytes) }
                }
                #expect(receipt == file.receipt, "seed \(seed)")
                // No attempt goes back behind the one before it. (How much is read again after a cut depends on the
                // system's buffers, and these on the load of the machine.)
                #expect(reports.withLock { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } }, "seed \(seed)")
                #expect(proxy.connectionCount > 3, "seed \(seed): nothing was cut")
                await transport.close()
            }
        }
    }

    /// The work of an outbox: ask for the offset, continue, begin again when the session is unknown.
    private static func uploadAsAnOutbox(
        _ file: SampleFile, _ session: UploadSession, _ media: any MediaStore,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> UploadReceipt {
        for _ in 1...200 {
            do throws(TransportError) {
                let offset = try await media.offset(of: session)
                return try await media.send(file, to: session, from: offset, progress: progress)
            } catch {
                switch error {
                case .unreachable, .inDoubt, .transient, .rateLimited: continue
                default: throw error
                }
            }
        }
        throw TransportError.unreachable(detail: "200 attempts")
    }

    private static func session(of file: SampleFile, _ media: any MediaStore) async throws -> UploadSession {
        for _ in 1...200 {
            do throws(TransportError) {
                guard case .session(let session) = try await media.begin(file.attachment) else { break }
                return session
            } catch {
                guard case .inDoubt = error else { continue }
            }
        }
        throw TransportError.unreachable(detail: "no session")
    }

    /// A cut is repaired within one call: one look at the upload, then the rest.
    ///
    /// Each cut comes after the hub has reported progress. (Of bytes that are merely on their way, a reset connection
    /// may lose all, and a call whose connection brought nothing ends, so that the outbox waits.)
    @Test func oneCallSurvivesCuts() async throws {
        try await Self.withHub { fixture in
            try await FaultProxy.run(to: fixture.port) { proxy, port in
                let transport = try fixture.transport(port: port)
                let media = try #require(transport.media)
                let reached = Reached()
                let cuts = Mutex((count: 0, last: Int64(0)))
                let file = SampleFile(count: 24_000_000)
                // The hub reports an offset after 4 MiB at the latest.
                let source = file.reading { offset in
                    let (count, last) = cuts.withLock { $0 }
                    guard count < 3, offset >= last + 6_000_000 else { return }
                    // The source may be read on for a moment after a cut, until the call has noticed it.
                    try? await Eventually.holds("the hub reported progress") {
                        reached.bytes > last || Task.isCancelled
                    }
                    guard !Task.isCancelled else { return }
                    cuts.withLock { $0 = (count + 1, Int64(offset)) }
                    try? await proxy.cutAll()
                }
                guard case .session(let session) = try await media.begin(file.attachment) else {
                    Issue.record("no session")
                    return
                }
                #expect(try await media.send(source, to: session, from: 0) { reached.set($0) } == file.receipt)
                #expect(cuts.withLock { $0.count } == 3)
                // The connection of the creation is kept for the first request with content.
                #expect(proxy.connectionCount == 4)
                await transport.close()
            }
        }
    }

    @Test func anUploadContinuesAfterARestartOfTheHub() async throws {
        try await Self.withFolder { fixture in
            let port = try ReservedPort()
            let file = SampleFile(count: 20_000_000)
            let transport = try fixture.transport(port: port.number)
            let media = try #require(transport.media)
            let session = Mutex(UploadSession?.none)
            let reached = Reached()
            try await fixture.running(at: port.number) { _ in
                session.withLock { $0 = nil }
                guard case .session(let begun) = try await media.begin(file.attachment) else { return }
                session.withLock { $0 = begun }
                let upload = Task {
                    try await media.send(file.slow(after: 9_000_000), to: begun, from: 0) { reached.set($0) }
                }
                try await Eventually.holds("an offset was reported") { reached.bytes > 4_000_000 }
                upload.cancel()
                _ = try? await upload.value
            }
            try await fixture.running(at: port.number) { _ in
                let begun = try #require(session.withLock { $0 })
                let offset = try await media.offset(of: begun)
                #expect(offset >= reached.bytes, "a reported offset was undercut")
                #expect(try await media.send(file, to: begun, from: offset) { _ in } == file.receipt)
            }
            await transport.close()
        }
    }

    @Test func anOffsetOfTheCallersOwnIsCorrected() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            let media = try #require(transport.media)
            let file = SampleFile(count: 1_000_000)
            let session = try await Self.session(of: file, media)
            #expect(try await media.send(file, to: session, from: 500_000) { _ in } == file.receipt)
            // A repeat finds it complete.
            #expect(try await media.send(file, to: session, from: 1_000_000) { _ in } == file.receipt)
            #expect(try await media.offset(of: session) == 1_000_000)
            await transport.close()
        }
    }

    @Test func refusalsAreNamed() async throws {
        try await Self.withHub {
            $0.blobs.fileBytesMax = 2_000_000
            $0.blobs.quotaBytes = 2_400_000
            $0.blobs.pendingUploadsMax = 2
        } _: { fixture in
            let transport = try fixture.transport()
            let media = try #require(transport.media)
            #expect(media.fileBytesMax == Limits.fileBytesMax)
            _ = try await transport.authenticate()
            #expect(media.fileBytesMax == 2_000_000, "learned before a byte is sent")

            func failure(_ body: () async throws -> Void) async -> String {
                do {
                    try await body()
                    return "ok"
                } catch {
                    return (error as? TransportError)?.name ?? "\(error)"
                }
            }
            let large = SampleFile(count: 2_000_001)
            #expect(await failure { _ = try await media.begin(large.attachment) } == "refused(fileTooLarge)")

            // Other bytes than announced.
            let file = SampleFile(count: 600_000)
            let lie = SampleFile(count: 600_000, seed: 9)
            let session = try await Self.session(of: file, media)
            #expect(
                await failure { _ = try await media.send(lie, to: session, from: 0) { _ in } }
                    == "refused(hashMismatch)")
            #expect(await failure { _ = try await media.offset(of: session) } == "refused(sessionUnknown)")
            #expect(
                await failure { _ = try await media.send(file, to: session, from: 0) { _ in } }
                    == "refused(sessionUnknown)")

            // Cancelled uploads are gone, and may be cancelled again.
            let cancelled = try await Self.session(of: file, media)
            try await media.cancel(cancelled)
            try await media.cancel(cancelled)
            #expect(await failure { _ = try await media.offset(of: cancelled) } == "refused(sessionUnknown)")

            // A source that is shorter than announced.
            let short = try await Self.session(of: file, media)
            let cut = file.cut(to: 300_000)
            #expect(
                await failure { _ = try await media.send(cut, to: short, from: 0) { _ in } } == "notSent(fileChanged)")

            _ = try await media.begin(SampleFile(count: 500_000, seed: 3).attachment)
            let waiting = SampleFile(count: 500_000, seed: 4).attachment
            #expect(await failure { _ = try await media.begin(waiting) } == "rateLimited(30)")
            try await media.cancel(short)
            let beyond = SampleFile(count: 2_000_000, seed: 5)
            #expect(await failure { _ = try await media.begin(beyond.attachment) } == "refused(quotaExceeded)")

            var other = session
            other.location = "https://elsewhere.example/v1/uploads/../../x?y"
            #expect(await failure { _ = try await media.offset(of: other) } == "refused(sessionUnknown)")
            let unknown = SampleFile(count: 10, seed: 8)
            #expect(
                await failure {
                    try await media.download(unknown.attachment, from: 0) { _ throws(TransportError) in }
                } == "refused(blobNotFound)")
            await transport.close()
        }
    }

    /// The draft: a client ignores interim responses with another status or another version than its own.
    @Test func interimResponsesOfOthersAreIgnored() async throws {
        let file = SampleFile(count: 1000)
        let rows: [(status: Int, version: String?)] = [(103, "8"), (104, nil), (104, "7"), (104, "8, 8"), (104, "8")]
        for (status, version) in rows {
            @Sendable func interim(_ field: String) -> ScriptedHTTPServer.Step {
                let version = version.map { "Upload-Draft-Interop-Version: \($0)\r\n" } ?? ""
                return .write("HTTP/1.1 \(status) Interim\r\n\(version)\(field)\r\n\r\n")
            }
            let isOwn = status == 104 && version == "8"
            try await ScriptedHTTPServer.run { request in
                switch request.method {
                case "HEAD": [.write("HTTP/1.1 404 Not Found\r\nCauseway-Protocol: 1\r\n\r\n")]
                case "POST": [interim("Location: /v1/uploads/abc"), .close]
                case "DELETE": [.write("HTTP/1.1 204 No Content\r\nCauseway-Protocol: 1\r\n\r\n")]
                default:
                    [
                        interim("Upload-Offset: 500"),
                        .hub(200, #"{"sha256":"\#(file.attachment.sha256)","size":1000}"#),
                    ]
                }
            } body: { server, port in
                try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                    let media = try #require(transport.media)
                    let session = UploadSession(location: "/v1/uploads/abc", file: file.attachment)
                    let begun = try? await media.begin(file.attachment, from: file)
                    #expect(begun == (isOwn ? .session(session) : nil), "\(status) \(version ?? "-")")
                    let reports = Mutex<[Int64]>([])
                    _ = try await media.send(file, to: session, from: 0) { sent in
                        reports.withLock { $0.append(sent) }
                    }
                    #expect(reports.withLock { $0 } == (isOwn ? [500] : []), "\(status) \(version ?? "-")")
                    try await media.cancel(session)
                    #expect(server.requests.last?.method == "DELETE")
                    #expect(server.requests.last?.header("Upload-Draft-Interop-Version") == "8")
                }
            }
        }
    }

    // MARK: - Downloads

    @Test func aDownloadContinuesAfterEveryCut() async throws {
        try await Self.withHub { fixture in
            let file = SampleFile(count: 16_000_000)
            let direct = try fixture.transport()
            let session = try await Self.session(of: file, try #require(direct.media))
            _ = try await direct.media?.send(file, to: session, from: 0) { _ in }
            await direct.close()
            try await FaultProxy.run(to: fixture.port) { proxy, port in
                let transport = try fixture.transport(port: port)
                let media = try #require(transport.media)
                let received = Mutex<[UInt8]>([])
                let cuts = Mutex(0)
                try await media.download(file.attachment, from: 0) { part throws(TransportError) in
                    let count = received.withLock {
                        $0 += part
                        return $0.count
                    }
                    // Each connection has brought something when it is cut: one that brought nothing ends the call.
                    let isCut = cuts.withLock { cuts in
                        guard cuts < 5, proxy.connectionCount > cuts, count >= (cuts + 1) * 2_500_000 else {
                            return false
                        }
                        cuts += 1
                        return true
                    }
                    if isCut { try? await proxy.cutAll() }
                }
                #expect(received.withLock { $0 == file.bytes })
                #expect(proxy.connectionCount == 6)

                received.withLock { $0 = [] }
                try await media.download(file.attachment, from: 15_000_000) { part throws(TransportError) in
                    received.withLock { $0 += part }
                }
                #expect(received.withLock { $0 } == Array(file.bytes[15_000_000...]))
                try await media.download(file.attachment, from: 16_000_000) { _ throws(TransportError) in
                    Issue.record("no byte is left")
                }
                await transport.close()
            }
        }
    }

    @Test func aReceiverThatCannotStoreEndsTheDownload() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport()
            let media = try #require(transport.media)
            let file = SampleFile(count: 200_000)
            _ = try await media.begin(file.attachment, from: file)
            let error = await #expect(throws: TransportError.self) {
                try await media.download(file.attachment, from: 0) { _ throws(TransportError) in
                    throw .notSent(code: "diskFull", detail: "full")
                }
            }
            #expect(error?.name == "notSent(diskFull)")
            await transport.close()
        }
    }

    /// A server that stores more bytes than the message names, or fewer. (Their hash is the caller's.)
    @Test(arguments: [99, 101]) func aFileOfAnotherSizeIsRefused(size: Int64) async throws {
        let text = String(repeating: "x", count: 100)
        try await ScriptedHTTPServer.run { _ in
            [.hub(200, text)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let media = try #require(transport.media)
                var changed = SampleFile(count: 100).attachment
                changed.size = size
                let file = changed
                let received = Mutex(Int64(0))
                let error = await #expect(throws: TransportError.self) {
                    try await media.download(file, from: 0) { part throws(TransportError) in
                        received.withLock { $0 += Int64(part.count) }
                    }
                }
                #expect(error?.name == "inDoubt")
                #expect(received.withLock { $0 } <= size)
            }
        }
    }
}

/// The last report of an upload.
private final class Reached: Sendable {
    private let stored = Mutex(Int64(0))

    var bytes: Int64 { stored.withLock { $0 } }
    func set(_ bytes: Int64) { stored.withLock { $0 = bytes } }
}

extension SystemRandomNumberGenerator {
    fileprivate static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
