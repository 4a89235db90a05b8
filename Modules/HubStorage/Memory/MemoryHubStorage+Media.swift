package import CausewayHubRules
package import CausewayModels

extension MemoryHubStorage {
    package func addUpload<Refusal: Sendable>(
        _ upload: HubUpload, unless refusal: @escaping @Sendable (MediaUsage) -> Refusal?
    ) async throws(HubStorageError) -> Refusal? {
        try use { state, _ in
            if let refusal = refusal(state.media.usage(of: upload.account)) { return refusal }
            state.media.uploads[upload.id] = upload
            return nil
        }
    }

    package func upload(_ id: UploadID) async throws(HubStorageError) -> HubUpload? {
        try use { state, _ in state.media.uploads[id] }
    }

    package func pendingUploads(of account: Int64) async throws(HubStorageError) -> [HubUpload] {
        try use { state, _ in
            state.media.uploads.values.filter { $0.account == account && $0.completedAt == nil }
                .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
        }
    }

    package func completeUpload(
        _ id: UploadID, servedAs type: String, at time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try use { state, _ in state.media.complete(id, servedAs: type, at: time) }
    }

    package func removeUpload(_ id: UploadID) async throws(HubStorageError) {
        try use { state, _ in state.media.uploads[id] = nil }
    }

    package func uploads(
        createdBy time: Timestamp, after last: HubUpload?, limit: Int
    ) async throws(HubStorageError) -> [HubUpload] {
        try use(isActivity: false) { state, _ in
            let found = state.media.uploads.values.filter { upload in
                upload.createdAt <= time
                    && last.map { ($0.createdAt, $0.id) < (upload.createdAt, upload.id) } ?? true
            }
            return Array(found.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.prefix(limit))
        }
    }

    package func blob(
        _ name: BlobName, for requester: BlobRequester, through message: MessageID?
    ) async throws(HubStorageError) -> ReadableBlob? {
        try use { state, _ in state.blob(name, for: requester, through: message) }
    }

    package func blobs(among names: [BlobName]) async throws(HubStorageError) -> Set<BlobName> {
        try use(isActivity: false) { state, _ in Set(names.filter { state.media.blobs[$0] != nil }) }
    }

    package func unattachedBlobs(since time: Timestamp, limit: Int) async throws(HubStorageError) -> [BlobName] {
        try use(isActivity: false) { state, _ in
            let found = state.media.blobs.compactMap { name, blob in
                blob.unattachedSince.flatMap { $0 <= time ? (name: name, since: $0) : nil }
            }
            return found.sorted { ($0.since, $0.name) < ($1.since, $1.name) }.prefix(limit).map(\.name)
        }
    }

    package func removeBlob(
        _ name: BlobName, unattachedSince time: Timestamp
    ) async throws(HubStorageError) -> Bool {
        try use { state, _ in
            guard let blob = state.media.blobs[name] else { return true }
            guard let since = blob.unattachedSince, since <= time else { return false }
            state.media.blobs[name] = nil
            return true
        }
    }

    package func mediaUsage(of account: Int64) async throws(HubStorageError) -> MediaUsage {
        try use { state, _ in state.media.usage(of: account) }
    }
}
