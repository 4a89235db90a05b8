package import CausewayHubRules
package import CausewayModels

/// An upload: the file that a client announced. Its bytes are in the storage of blobs.
package struct HubUpload: Sendable, Equatable {
    package var id: UploadID
    /// The number of the account that uploads.
    package var account: Int64
    /// The announced hash.
    package var blob: BlobName
    /// Bytes of the file.
    package var size: Int64
    /// The declared media type: a record of what the client said, by which nothing is decided.
    package var type: String
    package var createdAt: Timestamp
    /// `nil` until the file is stored as a blob.
    package var completedAt: Timestamp?

    package init(
        id: UploadID, account: Int64, blob: BlobName, size: Int64, type: String, createdAt: Timestamp,
        completedAt: Timestamp? = nil
    ) {
        self.id = id
        self.account = account
        self.blob = blob
        self.size = size
        self.type = type
        self.createdAt = createdAt
        self.completedAt = completedAt
    }
}

/// A complete file.
package struct HubBlob: Sendable, Equatable {
    package var name: BlobName
    /// Bytes.
    package var size: Int64
    /// The media type that it is served with.
    package var type: String

    package init(name: BlobName, size: Int64, type: String) {
        self.name = name
        self.size = size
        self.type = type
    }
}

/// A blob that an account may read.
package struct ReadableBlob: Sendable, Equatable {
    package var blob: HubBlob
    /// The file's name in the message through which it is read; `nil` without one.
    package var fileName: String?

    package init(blob: HubBlob, fileName: String? = nil) {
        self.blob = blob
        self.fileName = fileName
    }
}

/// An account that asks for a blob.
package struct BlobRequester: Sendable, Hashable {
    /// The number of the account.
    package var account: Int64
    package var user: UserID

    package init(account: Int64, user: UserID) {
        self.account = account
        self.user = user
    }
}

/// A blob, and an account that wants to attach it to a message.
package struct BlobKey: Sendable, Hashable {
    package var requester: BlobRequester
    package var blob: BlobName

    package init(requester: BlobRequester, blob: BlobName) {
        self.requester = requester
        self.blob = blob
    }
}
