package import CausewayHubRules
package import CausewayModels

/// The uploads and blobs of a hub: what they are, whose they are, and the messages that they are attached to. The bytes
/// are in a storage of blobs.
///
/// - A message is attached to at most one blob (``DeliveryChanges/AcceptedMessage/attachment``), until it is deleted;
///   both change in the transaction of the delivery.
/// - An account may read a blob that it uploaded, and one that is attached to a message of a channel whose log it may
///   read (`TopicRights`), by the records of that moment.
/// - A blob that is attached to nothing has a time since when.
package protocol MediaStorage: Sendable {
    /// Stores a new upload, unless `refusal` returns a reason against it; it sees the account's files at that moment,
    /// has no effects, and may be called again.
    ///
    /// - Returns: the reason; `nil` when the upload is stored.
    func addUpload<Refusal: Sendable>(
        _ upload: HubUpload, unless refusal: @escaping @Sendable (MediaUsage) -> Refusal?
    ) async throws(HubStorageError) -> Refusal?

    func upload(_ id: UploadID) async throws(HubStorageError) -> HubUpload?

    /// Returns the uploads of an account that are not complete, the oldest first, those of one time by id.
    func pendingUploads(of account: Int64) async throws(HubStorageError) -> [HubUpload]

    /// Marks an upload as complete, and its file as a blob that the account uploaded. A blob that is attached to
    /// nothing is so since `time`.
    ///
    /// - Parameter type: the type that the blob is served with, from now on; the caller decides it by the content
    ///   alone, so that it reveals nothing about other uploaders.
    ///
    /// - Returns: false if there is no such upload.
    func completeUpload(
        _ id: UploadID, servedAs type: String, at time: Timestamp
    ) async throws(HubStorageError) -> Bool

    /// Removes an upload, complete or not; does nothing if there is none. A blob is not affected.
    func removeUpload(_ id: UploadID) async throws(HubStorageError)

    /// Returns uploads that were created at or before a time, the oldest first, those of one time by id, after another
    /// one. Not an activity.
    func uploads(
        createdBy time: Timestamp, after last: HubUpload?, limit: Int
    ) async throws(HubStorageError) -> [HubUpload]

    /// Returns a blob that an account may read; `nil` for any other, and for one that does not exist.
    ///
    /// Cost: with a message a few look-ups; without one a look-up for each membership of the account, up to
    /// ``HubStorageLimits/membershipsScannedMax``, unless the account uploaded the blob. It is the same whether the
    /// blob does not exist or may not be read, so that the time of a response reveals neither.
    ///
    /// - Parameter message: a message that it is attached to; `nil` for any.
    func blob(
        _ name: BlobName, for requester: BlobRequester, through message: MessageID?
    ) async throws(HubStorageError) -> ReadableBlob?

    /// Returns those of some names that are blobs. Not an activity.
    func blobs(among names: [BlobName]) async throws(HubStorageError) -> Set<BlobName>

    /// Returns blobs that have been attached to nothing since a time or longer, the longest first. Not an activity.
    func unattachedBlobs(since time: Timestamp, limit: Int) async throws(HubStorageError) -> [BlobName]

    /// Removes a blob, if it has been attached to nothing since a time or longer.
    ///
    /// - Returns: whether there is no such blob any more.
    func removeBlob(_ name: BlobName, unattachedSince time: Timestamp) async throws(HubStorageError) -> Bool

    /// Returns the files of an account. Cost: the number of its uploads that are not complete.
    func mediaUsage(of account: Int64) async throws(HubStorageError) -> MediaUsage
}
