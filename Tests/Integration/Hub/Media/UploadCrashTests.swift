import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// The hub's process is killed with SIGKILL while files arrive.
@Suite struct UploadCrashTests {
    /// Reads interim responses of an upload until its connection ends.
    private final class Reports: Sendable {
        let highest: Int

        init(_ text: String) {
            highest = text.matches(of: /Upload-Offset: ([0-9]+)/).compactMap { Int($0.1) }.max() ?? 0
        }
    }

    @Test(.timeLimit(.minutes(15))) func noReportedOffsetIsUndercut() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let token = try HubFixture.token(in: folder)
        let file = SampleFile(count: 60_000_000)
        var location = ""
        var offset = 0
        var reported = 0
        var kills = 0
        while true {
            let process = try await HubProcess.start(folder)
            let client = HubClient(port: process.port, token: token)
            if location.isEmpty { location = try await client.create(file).location }
            let state = try await client.state(location)
            offset = try #require(state.offset)
            #expect(offset >= reported, "after \(kills) kills")
            let isWhole = offset == file.bytes.count
            if state.field("Upload-Complete") == "?1" || isWhole && kills < 2 {
                // A kill came too late to show anything: once more.
                (location, reported, kills) = ("", 0, 0)
                await process.end(SIGKILL)
                continue
            }
            if kills == 4 || isWhole {
                #expect(reported > 0)
                let rest = try await client.append(
                    Array(file.bytes[offset...]), to: location, at: offset, isRest: true)
                #expect(rest.status == 200)
                #expect(try await client.download(file).body == file.bytes)
                await process.end(SIGKILL)
                break
            }
            let head = """
                PATCH \(location) HTTP/1.1\r
                Host: a\r
                Authorization: Bearer \(token)\r
                Upload-Draft-Interop-Version: 8\r
                Upload-Complete: ?1\r
                Upload-Offset: \(offset)\r
                Content-Type: application/partial-upload\r
                Content-Length: \(file.bytes.count - offset)\r
                \r

                """
            // Killed when it has reported an offset above the last one.
            let text = try await killing(process, Array(head.utf8) + file.bytes[offset...], client.port)
            reported = max(offset, Reports(text).highest)
            kills += 1
        }
        let left = FileManager.default.enumerator(atPath: folder.blobs)?.compactMap { $0 as? String } ?? []
        #expect(left.filter { $0.contains(".") }.isEmpty, "no part is left")
    }

    /// Sends a request, kills the hub as soon as it reports an offset, and returns everything that it sent.
    private func killing(_ process: HubProcess, _ bytes: [UInt8], _ port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var text = ""
            async let sending: Void = Self.send(bytes, outbound)
            do {
                for try await part in inbound {
                    text += String(buffer: part)
                    if text.contains("Upload-Offset") { await process.end(SIGKILL) }
                }
            } catch is IOError {
                // A reset ends it as well.
            } catch is ChannelError {
                // So does a write that came after it.
            }
            _ = await sending
            return text
        }
    }

    private static func send(_ bytes: [UInt8], _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async {
        for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
            let part = ByteBuffer(bytes: bytes[start..<min(start + 1 << 20, bytes.count)])
            guard (try? await outbound.write(part)) != nil else { return }
        }
    }
}
