/// The limits of files, for each account; announced to clients before they send a byte.
package struct BlobLimits: Sendable, Hashable {
    /// Bytes of one file.
    package var fileBytesMax: Int64
    /// Uploads of one account that are not complete.
    package var pendingUploadsMax: Int
    /// Bytes of the files that one account has uploaded, with those of its uploads that are not complete.
    package var quotaBytes: Int64
    /// Bytes that stay free on the disk of the blobs; an upload that needs them is refused.
    package var freeBytesMin: Int64
    /// How long an upload can be continued.
    package var uploadSecondsMax: Int64
    /// How long an upload must have received nothing before it makes room for another one of its account.
    package var idleSecondsMin: Int64
    /// How long a blob is kept that is attached to no message.
    package var unattachedSecondsMax: Int64
    /// Bytes in a second that a client has to send while the hub waits for them.
    package var bytesPerSecondMin: Int64

    package init(
        fileBytesMax: Int64, pendingUploadsMax: Int, quotaBytes: Int64, freeBytesMin: Int64, uploadSecondsMax: Int64,
        idleSecondsMin: Int64, unattachedSecondsMax: Int64, bytesPerSecondMin: Int64
    ) {
        self.fileBytesMax = fileBytesMax
        self.pendingUploadsMax = pendingUploadsMax
        self.quotaBytes = quotaBytes
        self.freeBytesMin = freeBytesMin
        self.uploadSecondsMax = uploadSecondsMax
        self.idleSecondsMin = idleSecondsMin
        self.unattachedSecondsMax = unattachedSecondsMax
        self.bytesPerSecondMin = bytesPerSecondMin
    }
}

/// The files of one account.
package struct MediaUsage: Sendable, Hashable {
    /// Uploads that are not complete.
    package var pendingUploads: Int
    /// Bytes of their files.
    package var pendingBytes: Int64
    /// Bytes of the stored files that the account has uploaded.
    package var storedBytes: Int64

    package init(pendingUploads: Int = 0, pendingBytes: Int64 = 0, storedBytes: Int64 = 0) {
        self.pendingUploads = pendingUploads
        self.pendingBytes = pendingBytes
        self.storedBytes = storedBytes
    }

    /// Bytes that count towards the quota.
    package var bytes: Int64 { pendingBytes + storedBytes }
}

/// The reason why an upload cannot begin.
package enum UploadRefusal: Sendable, Hashable {
    case fileTooLarge
    /// The account has as many uploads as it may have; the end of one makes room, and one that is idle is removed.
    case tooManyUploads
    /// The account has used up its quota; the expiry of its files makes room.
    case quotaExceeded(left: Int64)
    /// The disk has no room.
    case diskFull
}

extension BlobLimits {
    /// Whether an account may begin the upload of a file.
    ///
    /// - Parameter freeBytes: bytes that are free on the disk; those of other uploads that are not complete count as
    ///   free until they have arrived.
    package func refusal(ofFile size: Int64, _ usage: MediaUsage, freeBytes: Int64) -> UploadRefusal? {
        guard size <= fileBytesMax else { return .fileTooLarge }
        guard usage.pendingUploads < pendingUploadsMax else { return .tooManyUploads }
        // Compared without a sum that could overflow.
        guard size <= quotaBytes - usage.bytes else { return .quotaExceeded(left: max(0, quotaBytes - usage.bytes)) }
        guard size <= freeBytes - freeBytesMin else { return .diskFull }
        return nil
    }

    /// Whether a refused file could be uploaded if the account had no other uploads.
    package func isEased(_ refusal: UploadRefusal, ofFile size: Int64, _ usage: MediaUsage) -> Bool {
        switch refusal {
        case .tooManyUploads, .quotaExceeded: usage.pendingUploads > 0 && size <= quotaBytes - usage.storedBytes
        case .fileTooLarge, .diskFull: false
        }
    }
}
