import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// Uploads, blobs, and messages with files. Uploads and blobs are numbers; a blob has a hundred times as many bytes as
/// its number.
extension Site {
    static func blob(_ number: UInt8) -> BlobName {
        guard let name = BlobName(bytes: Array(repeating: number, count: BlobName.bytesCount)) else {
            preconditionFailure("A name has 32 bytes.")
        }
        return name
    }

    static func upload(_ number: UInt8) -> UploadID {
        guard let id = UploadID(bytes: Array(repeating: number, count: UploadID.bytesCount)) else {
            preconditionFailure("An id has 16 bytes.")
        }
        return id
    }

    static func upload(_ number: UInt8, of blob: UInt8, by account: Int64, at time: Int64 = 10) -> HubUpload {
        HubUpload(
            id: upload(number), account: account, blob: self.blob(blob), size: Int64(blob) * 100, type: "image/png",
            createdAt: self.time(time))
    }

    /// Stores an upload that nothing is against.
    func begin(_ number: UInt8, of blob: UInt8, by account: Int64, at time: Int64 = 10) async throws {
        let refusal = try await storage.addUpload(Self.upload(number, of: blob, by: account, at: time)) { _ in
            String?.none
        }
        try requireEqual(refusal, nil, "the refusal of an upload")
    }

    func complete(_ number: UInt8, at time: Int64) async throws {
        let isKnown = try await storage.completeUpload(
            Self.upload(number), servedAs: "image/png", at: Self.time(time))
        try require(isKnown, "a stored upload is unknown")
    }

    /// Uploads a blob with an upload of the same number.
    func store(_ blob: UInt8, by account: Int64, at time: Int64 = 20) async throws {
        try await begin(blob, of: blob, by: account)
        try await complete(blob, at: time)
    }

    func read(
        _ blob: UInt8, for user: UserID = Site.ada, through message: Int? = nil
    ) async throws -> ReadableBlob? {
        try await storage.blob(Self.blob(blob), for: requester(user), through: message.map(Self.id))
    }

    func requester(_ user: UserID) -> BlobRequester {
        BlobRequester(account: user == Self.ada ? ada : bob, user: user)
    }

    static func media(_ name: String) -> String {
        #"{"attachment":{"name":"\#(name)"},"type":"image"}"#
    }

    /// Stores a message with a file.
    func attach(_ blob: UInt8, to number: Int, by account: Int64, in channel: ChannelID = Site.general) async throws {
        let step = Step.send(number, by: account, in: channel, content: Self.media("\(number).png"))
        var keys = Self.keys(of: [step])
        let lane = Self.lane("media", 99, ada)
        keys.lanes = [lane]
        try await storage.transact(loading: keys) { state in
            var changes = DeliveryChanges(lastCommit: state.lastCommit + 1)
            let position = (state.channels[channel] ?? state.records.floor) + 1
            changes.channels[channel] = position
            changes.newMessages = [
                .init(
                    id: Self.id(number), channel: channel, position: position, sender: account,
                    content: Self.media("\(number).png"), createdAt: Self.time(1), acceptedAt: Self.time(2),
                    parent: nil, attachment: Self.blob(blob))
            ]
            changes.outboxes[lane.outbox] = .init(epoch: 1, opening: nil)
            changes.lanes[lane] = .init(mark: changes.lastCommit, mover: nil, commit: changes.lastCommit)
            return DeliveryDecision(changes: changes, value: ())
        }
    }

    func unattached(since time: Int64) async throws -> [BlobName] {
        try await storage.unattachedBlobs(since: Self.time(time), limit: 100)
    }
}
