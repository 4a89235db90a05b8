import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import Testing

/// Messages with files: who may attach and read them, and when a file ends.
@Suite struct AttachmentTests {
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aFileIsReadByTheMembersOfItsChannel(on kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let member = try await hub.client(of: "member")
            let stranger = try await hub.client(of: "stranger", isMember: false)
            let file = SampleFile.png
            try await hub.client.upload(file)
            #expect(try await !member.has(file))
            let sent = try await hub.client.report(
                delivery([send(1, content: file.image(name: "ca\"t é.png"))], lane: .media))
            #expect(sent.kinds == [.accepted])
            #expect(try await member.has(file))
            #expect(try await !stranger.has(file))
            let answer = try await member.download(file, through: 1)
            #expect(answer.body == file.bytes)
            #expect(try await stranger.download(file, through: 1).errorCode == "blobNotFound")
            #expect(try await member.download(file, through: 2).errorCode == "blobNotFound")
            // A member may attach it again without its bytes.
            let again = try await member.report(delivery([send(1, 2, content: file.image())], lane: .media))
            #expect(again.kinds == [.accepted])
            #expect(
                try await member.download(file, through: 2).field("Content-Disposition")
                    == "inline; filename*=UTF-8''cat.png")
            // The right ends with the membership.
            let id = try #require(ChannelMemberID("general/member"))
            try await hub.hub.administration.removeMember(id)
            #expect(try await !member.has(file))
            #expect(try await member.download(file, through: 1).errorCode == "blobNotFound")
        }
    }

    @Test func aNameIsEscaped() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile.png
            try await hub.client.upload(file)
            _ = try await hub.client.report(delivery([send(1, content: file.image(name: "a b;\"é.png"))], lane: .media))
            #expect(
                try await hub.client.download(file, through: 1).field("Content-Disposition")
                    == "inline; filename*=UTF-8''a%20b%3b%22%c3%a9.png")
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aMessageWithoutItsFileIsRefused(on kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let other = try await hub.client(of: "other")
            let file = SampleFile.png
            let unknown = try await hub.client.report(
                delivery([send(1, content: file.image()), send(2, content: .text("next"))], lane: .media))
            #expect(unknown.kinds == [.refused, .accepted])
            #expect(unknown.codes.first == "attachmentUnknown")
            try await hub.client.upload(file)
            let unreadable = try await other.report(delivery([send(1, 11, content: file.image())], lane: .media))
            #expect(unreadable.codes == ["attachmentUnknown"])
            let wrongSize = try await hub.client.report(
                delivery([send(3, content: file.image(size: 5))], lane: .media))
            #expect(wrongSize.codes == ["attachmentUnknown"])
            #expect(
                try await hub.client.report(delivery([send(4, after: 3, content: file.image())], lane: .media)).kinds
                    == [.accepted])
        }
    }

    @Test func anEditKeepsTheFile() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile.png
            let second = SampleFile(SampleFile.png.bytes + [4], type: "image/png")
            try await hub.client.upload(file)
            try await hub.client.upload(second)
            _ = try await hub.client.report(delivery([send(1, content: file.image())], lane: .media))
            func edit(_ sequence: Int64, _ content: MessageContent) async throws -> [String?] {
                var operation = change(.edit, sequence, UInt64(20 + sequence), on: 1)
                operation.content = content
                return try await hub.client.report(delivery([operation], lane: .operations)).codes
            }
            #expect(try await edit(1, second.image()) == ["attachmentDiffers"])
            #expect(try await edit(2, file.image(size: 1)) == ["attachmentDiffers"])
            guard case .image(let attachment, _) = file.image() else { return }
            #expect(try await edit(3, .image(attachment, caption: "a cat")) == [nil])
            #expect(try await hub.client.messages().first?.content == .image(attachment, caption: "a cat"))
        }
    }

    // MARK: - Expiry

    /// A file that no message needs is removed, and one that a message needs is not.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func filesWithoutMessagesExpire(on kind: HubFixture.StorageKind) async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.unattachedSecondsMax = 0
            $0.blobs.uploadSecondsMax = 1_000_000
            $0.expiry = .milliseconds(20)
        }
        try await HubFixture.running(on: kind, change: change) { hub in
            let kept = SampleFile.png
            // Attached before it expires: it has a second message as its own proof.
            var isAttached = false
            var sequence: Int64 = 0
            while !isAttached {
                try await hub.client.upload(kept)
                sequence += 1
                let report = try await hub.client.report(
                    delivery([send(sequence, content: kept.image())], lane: .media))
                isAttached = report.kinds == [.accepted]
            }
            let lost = SampleFile(count: 1000)
            try await hub.client.upload(lost)
            try await Eventually.holds("the file without a message is removed") { hub.files() == [kept.name] }
            #expect(try await !hub.client.has(lost))
            #expect(try await hub.client.download(kept).body == kept.bytes)
            let report = try await hub.client.report(
                delivery([delete(sequence + 1, UInt64(sequence))], lane: .media))
            #expect(report.kinds == [.deleted])
            try await Eventually.holds("the file of a deleted message is removed") { hub.files() == [] }
            #expect(try await !hub.client.has(kept))
            // It can be uploaded again.
            try await hub.client.upload(kept)
        }
    }

    @Test func uploadsExpire() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let location = try await HubFixture.running(folder) { hub in
            try await hub.client.create(SampleFile(count: 10), content: [1, 2]).location
        }
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.uploadSecondsMax = 0
            $0.expiry = .milliseconds(20)
        }
        try await HubFixture.running(folder, change: change) { hub in
            #expect(try await hub.client.state(location).status == 404)
            try await Eventually.holds("its bytes are removed") { hub.files() == [] }
        }
    }

    /// Some are removed between two steps of their beginning.
    @Test func uploadsThatExpireWhileTheyBeginLeaveNothing() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.uploadSecondsMax = 0
            $0.expiry = .milliseconds(1)
        }
        try await HubFixture.running(change: change) { hub in
            // A request that is being handled when its upload expires is ended.
            for number in 0..<40 { _ = try? await hub.client.create(SampleFile(count: 10 + number), content: [1, 2]) }
            try await Eventually.holds("nothing is left") { hub.files() == [] }
        }
    }
}
