import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// Faults of uploads and blobs.
extension FaultyHubStorage {
    func addUpload<Refusal: Sendable>(
        _ upload: HubUpload, unless refusal: @escaping @Sendable (MediaUsage) -> Refusal?
    ) async throws(HubStorageError) -> Refusal? {
        try await base.addUpload(upload) { [fault] usage in
            var usage = usage
            if fault == .forgetsPendingUploads { usage.pendingUploads = 0 }
            return refusal(usage)
        }
    }

    func upload(_ id: UploadID) async throws(HubStorageError) -> HubUpload? { try await base.upload(id) }

    func pendingUploads(of account: Int64) async throws(HubStorageError) -> [HubUpload] {
        guard fault == .listsCompleteUploads else { return try await base.pendingUploads(of: account) }
        let all = try await base.uploads(createdBy: Timestamp(milliseconds: .max), after: nil, limit: 100)
        return all.filter { $0.account == account }
    }

    func completeUpload(
        _ id: UploadID, servedAs type: String, at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        let isKnown = try await base.completeUpload(id, servedAs: type, at: time)
        return isKnown || fault == .completesUnknownUploads
    }

    func removeUpload(_ id: UploadID) async throws(HubStorageError) {
        if fault != .keepsUploads { try await base.removeUpload(id) }
    }

    func uploads(
        createdBy time: Timestamp, after last: HubUpload?, limit: Int
    ) async throws(HubStorageError) -> [HubUpload] {
        try await base.uploads(createdBy: time, after: fault == .repeatsUploads ? nil : last, limit: limit)
    }

    func blob(
        _ name: BlobName, for requester: BlobRequester, through message: MessageID?
    ) async throws(HubStorageError) -> ReadableBlob? {
        var requester = requester
        if fault == .leaksBlobs { requester.account = 1 }
        var found = try await base.blob(name, for: requester, through: fault == .ignoresTheMessage ? nil : message)
        if fault == .keepsMissingTypes { found?.blob.type = InlineMediaType.bytes }
        return found
    }

    func blobs(among names: [BlobName]) async throws(HubStorageError) -> Set<BlobName> {
        fault == .knowsEveryBlob ? Set(names) : try await base.blobs(among: names)
    }

    func unattachedBlobs(since time: Timestamp, limit: Int) async throws(HubStorageError) -> [BlobName] {
        let names = try await base.unattachedBlobs(since: time, limit: limit)
        return fault == .hidesUnattachedBlobs ? Array(names.dropLast()) : names
    }

    func removeBlob(_ name: BlobName, unattachedSince time: Timestamp) async throws(HubStorageError) -> Bool {
        try await base.removeBlob(
            name, unattachedSince: fault == .removesBlobsEarly ? Timestamp(milliseconds: .max) : time)
    }

    func mediaUsage(of account: Int64) async throws(HubStorageError) -> MediaUsage {
        var usage = try await base.mediaUsage(of: account)
        if fault == .countsPendingFilesOnly { usage.storedBytes = 0 }
        return usage
    }
}
