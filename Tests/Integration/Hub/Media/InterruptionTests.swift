import CausewayHTTPServer
import CausewayHub
import CausewayHubBlobs
import CausewayHubRules
import CausewayHubStorage
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// Uploads that are cut, overtaken and restarted.
@Suite struct InterruptionTests {
    /// A connection that sends a part of a request and stays open.
    private struct OpenRequest {
        let channel: any Channel

        init(_ bytes: [UInt8], _ hub: HubFixture) async throws {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: hub.port).get()
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        }

        func close() async { try? await channel.close() }
    }

    private func head(_ location: String, at offset: Int, count: Int, _ hub: HubFixture) -> [UInt8] {
        Array(
            """
            PATCH \(location) HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(hub.client.token ?? "")\r
            Upload-Complete: ?1\r
            Upload-Offset: \(offset)\r
            Content-Type: application/partial-upload\r
            Content-Length: \(count)\r
            \r

            """.utf8)
    }

    @Test func whatArrivedBeforeACutIsKept() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 3_000_000)
            let location = try await hub.client.create(file).location
            let request = try await OpenRequest(
                head(location, at: 0, count: file.bytes.count, hub) + file.bytes[..<1_000_000], hub)
            await request.close()
            // A request would end the older one, with the bytes that are still on their way.
            try await Eventually.holds("the hub has what was sent") { hub.partBytes() == 1_000_000 }
            let offset = try #require(try await hub.client.state(location).offset)
            #expect(offset == 1_000_000)
            let rest = try await hub.client.append(
                Array(file.bytes[offset...]), to: location, at: offset, isRest: true)
            #expect(rest.status == 200)
            #expect(try await hub.client.download(file).body == file.bytes)
        }
    }

    /// A request that hangs is ended by the next one, which continues at once.
    @Test(.timeLimit(.minutes(10)), arguments: [HTTPMethod.HEAD, .PATCH, .DELETE])
    func aNewRequestEndsTheOlderOne(method: HTTPMethod) async throws {
        // Nothing else ends it.
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.uploadGraceSeconds = 3600
            $0.limits.idle = .seconds(3600)
        }
        try await HubFixture.running(change: change) { hub in
            let file = SampleFile(count: 2_000_000)
            let location = try await hub.client.create(file).location
            let hanging = try await OpenRequest(
                head(location, at: 0, count: file.bytes.count, hub) + file.bytes[..<700_000], hub)
            // The hub holds the bytes of a part that is being received.
            try await Eventually.holds("the first request is being received") {
                hub.partBytes() > 0
            }
            switch method {
            case .HEAD:
                let offset = try #require(try await hub.client.state(location).offset)
                #expect(offset <= 700_000 && offset > 0)
                let rest = try await hub.client.append(
                    Array(file.bytes[offset...]), to: location, at: offset, isRest: true)
                #expect(rest.status == 200)
            case .PATCH:
                let refused = try await hub.client.append([1], to: location, at: 1_999_999, isRest: false)
                #expect(refused.status == 409)
                #expect((refused.offset ?? 0) > 0)
            default:
                #expect(try await hub.client.send(.DELETE, location).status == 204)
                #expect(hub.files() == [])
            }
            // The hub has closed it.
            try await hanging.channel.closeFuture.get()
        }
    }

    @Test func anUploadContinuesAfterARestart() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        let file = SampleFile(count: 1_500_000)
        var location = ""
        try await HubFixture.prepare(folder)
        location = try await HubFixture.running(folder) { hub in
            try await hub.client.create(file, content: Array(file.bytes[..<600_000])).location
        }
        try await HubFixture.running(folder) { [location] hub in
            #expect(try await hub.client.state(location).offset == 600_000)
            let rest = try await hub.client.append(
                Array(file.bytes[600_000...]), to: location, at: 600_000, isRest: true)
            #expect(rest.status == 200)
        }
        try await HubFixture.running(folder) { hub in
            let whole = try await hub.client.download(file)
            #expect(whole.body == file.bytes)
        }
    }

    /// A write or sync that fails is not reported as stored, and the next request continues before it.
    @Test(arguments: [BlobFaults.Step.write, .sync])
    func aFailedDiskUndercutsNoOffset(step: BlobFaults.Step) async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: folder.blobs, faults: faults)
        try await HubFixture.running(folder, blobs: blobs) { hub in
            let file = SampleFile(count: 500_000)
            let location = try await hub.client.create(file, content: Array(file.bytes[..<100_000])).location
            for (failure, status, code) in [
                (BlobFaults.Failure.broken, 500, "storageFailed"), (.full, 507, "storageFull"),
            ] {
                faults.inject(step, failure)
                let failed = try await hub.client.append(
                    Array(file.bytes[100_000...]), to: location, at: 100_000, isRest: true)
                #expect(failed.status == status)
                #expect(failed.errorCode == code)
                #expect(try await hub.client.state(location).offset == 100_000)
            }
            let rest = try await hub.client.append(
                Array(file.bytes[100_000...]), to: location, at: 100_000, isRest: true)
            #expect(rest.status == 200)
            #expect(try await hub.client.download(file).body == file.bytes)
            #expect(hub.files() == [file.name])
        }
    }

    /// A creation that fails before a byte is durable can be repeated as often as one likes: it leaves no upload.
    @Test func aCreationThatFailsLeavesNothing() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let faults = BlobFaults()
        let blobs = try HubBlobFolder(path: folder.blobs, faults: faults)
        try await HubFixture.running(folder, blobs: blobs) { hub in
            let file = SampleFile(count: 500_000)
            for step in [BlobFaults.Step.create, .write, .sync] {
                faults.inject(step, .full)
                #expect(try await hub.client.create(file, content: file.bytes, isRest: true).status == 507)
                #expect(hub.files() == [], "\(step)")
                let limits = try await hub.client.send(.OPTIONS, WireProtocol.uploadsPath)
                #expect(limits.field("Upload-Limit")?.contains("uploads-left=5") == true, "\(step)")
            }
            // Bytes that are durable can be continued.
            faults.inject(.sync, .full)
            let location = try await hub.client.create(file).location
            #expect(
                try await hub.client.append(Array(file.bytes[..<10]), to: location, at: 0, isRest: false).status == 507)
            #expect(try await hub.client.state(location).offset == 0)
            #expect(try await hub.client.append(file.bytes, to: location, at: 0, isRest: true).status == 200)
        }
    }

    /// The rights of an account end with it, also in the middle of a transfer.
    @Test func anAccountThatIsRemovedStoresNothing() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let file = SampleFile(count: 700_000)
            let location = try await other.create(file).location
            let text = String(decoding: head(location, at: 0, count: file.bytes.count, hub), as: UTF8.self)
                .replacing(hub.client.token ?? "", with: other.token ?? "")
                .replacing("Host: a\r\n", with: "Host: a\r\nConnection: close\r\n")
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: hub.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            let answer = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: Array(text.utf8) + file.bytes[..<600_000]))
                try await Eventually.holds("it is being received") { hub.partBytes() > 0 }
                try await hub.hub.administration.removeAccount("other")
                try await outbound.write(ByteBuffer(bytes: file.bytes[600_000...]))
                var answer = ""
                for try await part in inbound { answer += String(buffer: part) }
                return answer
            }
            #expect(answer.hasPrefix("HTTP/1.1 401"), "\(answer)")
            #expect(!hub.files().contains(file.name))
        }
    }

    /// A client that sends next to nothing is cut off, and what it sent is kept.
    @Test func aDrippingClientIsCutOff() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.uploadGraceSeconds = 1
            $0.blobs.bytesPerSecondMin = 1000
        }
        try await HubFixture.running(change: change) { hub in
            let file = SampleFile(count: 100_000)
            let location = try await hub.client.create(file).location
            let dripping = try await OpenRequest(head(location, at: 0, count: 100_000, hub) + [file.bytes[0]], hub)
            try await dripping.channel.closeFuture.get()
            #expect(try await hub.client.state(location).offset == 1)
        }
    }

    /// All transfers that one account may have do not stop another account's message.
    @Test func uploadsDoNotStopMessages() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            var hanging: [OpenRequest] = []
            for number in 1...HubLimits.pendingUploadsMax {
                let file = SampleFile(count: 1_000_000, seed: UInt64(number))
                let location = try await hub.client.create(file).location
                hanging.append(
                    try await OpenRequest(
                        head(location, at: 0, count: 1_000_000, hub) + file.bytes[..<500_000], hub))
            }
            try await Eventually.holds("all are being received") { hub.partBytes() > 0 }
            #expect(try await other.report(delivery([send(1)])).kinds == [.accepted])
            #expect(try await hub.client.report(delivery([send(1, 50)])).kinds == [.accepted])
            for request in hanging { await request.close() }
        }
    }
}

extension HubFixture {
    /// Bytes of all files in the folder of parts.
    func partBytes() -> Int {
        let path = folder.blobs + "/parts"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { sum, name in
            let size = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int
            return sum + (size.flatMap { $0 } ?? 0)
        }
    }
}
