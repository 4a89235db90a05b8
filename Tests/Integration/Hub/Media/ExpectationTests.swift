import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import Testing

/// Clients that send a file only when the hub wants it (`Expect: 100-continue`).
@Suite(.timeLimit(.minutes(5))) struct ExpectationTests {
    /// The first line of the response to a request for an upload, before any of its content.
    private func firstLine(
        _ file: SampleFile, isRest: Bool = true, size: Int? = nil, _ hub: HubFixture, by client: HubClient? = nil
    ) async throws -> String {
        let socket = try await RawSocket.connect(port: hub.port)
        try await socket.write(head(file, isRest: isRest, size: size, client ?? hub.client))
        let header = try await socket.header()
        await socket.close()
        return String(header.prefix { $0 != "\r\n" })
    }

    private func head(
        _ file: SampleFile, isRest: Bool = true, size: Int? = nil, _ client: HubClient
    ) -> [UInt8] {
        let size = size ?? file.bytes.count
        return Array(
            """
            POST \(WireProtocol.uploadsPath) HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(client.token ?? "")\r
            Expect: 100-continue\r
            Upload-Draft-Interop-Version: 8\r
            Upload-Complete: \(isRest ? "?1" : "?0")\r
            Upload-Length: \(size)\r
            Content-Length: \(size)\r
            Repr-Digest: \(file.digest)\r
            \r

            """.utf8)
    }

    private static let go = "HTTP/1.1 100 Continue"
    private static let done = "HTTP/1.1 200 OK"

    /// Also of files that other requests may not be as large as.
    @Test(arguments: HubFixture.StorageKind.allCases, [1, 100_000, 5_000_000])
    func aFileThatTheAccountHasIsNotWanted(on kind: HubFixture.StorageKind, size: Int) async throws {
        try await HubFixture.running(on: kind) { hub in
            let file = SampleFile(count: size)
            #expect(try await firstLine(file, hub) == Self.go)
            try await hub.client.upload(file)
            #expect(try await firstLine(file, hub) == Self.done)
            // A part alone is not a file, and one of another size is another file.
            #expect(try await firstLine(file, isRest: false, hub) == Self.go)
            #expect(try await firstLine(file, size: size + 1, hub) == Self.go)
            // Another account has to send it: the response is that to a file that is on no hub.
            let other = try await hub.client(of: "other")
            #expect(try await firstLine(file, hub, by: other) == Self.go)
            try await other.upload(file)
            #expect(try await firstLine(file, hub, by: other) == Self.done)
        }
    }

    /// It is the response to a complete upload; no upload is left behind by it.
    @Test func theResponseIsTheReceipt() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 1000)
            try await hub.client.upload(file)
            let socket = try await RawSocket.connect(port: hub.port)
            try await socket.write(head(file, hub.client))
            let header = try await socket.header().lowercased()
            #expect(header.contains("\r\nupload-complete: ?1\r\n"))
            #expect(header.contains("\r\nupload-offset: 1000\r\n"))
            #expect(!header.contains("\r\nlocation:"))
            await socket.close()
            #expect(hub.files() == [file.name])
        }
    }

    /// A refusal comes before the content, too.
    @Test func anUploadThatIsRefusedHasNoContent() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.fileBytesMax = 1000
            $0.blobs.quotaBytes = 1500
        }
        try await HubFixture.running(change: change) { hub in
            let large = SampleFile(count: 1001)
            #expect(try await firstLine(large, hub).hasPrefix("HTTP/1.1 413 "))
            let stored = SampleFile(count: 1000)
            try await hub.client.upload(stored)
            let beyond = SampleFile(count: 1000, seed: 2)
            #expect(try await firstLine(beyond, hub).hasPrefix("HTTP/1.1 507 "))
            // A file that is there needs no room.
            #expect(try await firstLine(stored, hub) == Self.done)
        }
    }

    /// An upload that was cut before its first byte is not one of the few that an account may have.
    @Test func aClientThatLeavesLeavesNothing() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.blobs.pendingUploadsMax = 1 }
        try await HubFixture.running(change: change) { hub in
            let file = SampleFile(count: 100_000)
            for _ in 1...3 {
                // The hub may need a moment to see that the one before has left.
                try await Eventually.holds("the upload is removed") { try await firstLine(file, hub) == Self.go }
            }
            try await Eventually.holds("nothing is left") { hub.files() == [] }
            // A byte makes it one.
            let socket = try await RawSocket.connect(port: hub.port)
            try await socket.write(head(file, hub.client) + file.bytes.prefix(1))
            while try await socket.header() != "\(Self.go)\r\n\r\n" {}
            await socket.close()
            try await Eventually.holds("the byte is durable") { hub.files().contains { $0.hasSuffix(".1") } }
            #expect(try await firstLine(file, hub).hasPrefix("HTTP/1.1 429 "))
        }
    }

    /// A file whose bytes the disk has lost is wanted again.
    @Test func aFileThatIsLostIsWanted() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 1000)
            try await hub.client.upload(file)
            let path = "\(hub.folder.blobs)/\(file.name.prefix(2))/\(file.name)"
            let disk = try #require(FileHandle(forWritingAtPath: path))
            try disk.truncate(atOffset: 999)
            try disk.close()
            #expect(try await firstLine(file, hub) == Self.go)
            try await hub.client.upload(file)
            #expect(try await firstLine(file, hub) == Self.done)
        }
    }
}
