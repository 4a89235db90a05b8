/// Every bound of the client and the wire in one place, with its unit in its name. Each `…Max` is inclusive.
///
/// Oversized content is refused when it is created, not when it is sent (trap: a limit met after an upload).
public enum Limits {
    /// Bytes of UTF-8 in the text of one message.
    public static let textBytesMax = 131_072
    /// Bytes of JSON in a custom message.
    public static let customBytesMax = 131_072
    /// Nesting of the JSON in a custom message.
    public static let customDepthMax = 32
    /// Bytes of a channel's or a user's name.
    public static let nameBytesMax = 128
    /// Undelivered messages in one outbox; beyond it `create…` is refused and nothing old is dropped.
    public static let outboxMessagesMax = 250_000
    /// Bytes of content of the undelivered messages in one outbox.
    public static let outboxBytesMax = 1 << 30
    /// Messages that wait to be stored for callers that do not wait; beyond it a creation is refused.
    public static let creationsMax = 10_000
    /// Bytes of content of the messages that wait to be stored for callers that do not wait.
    public static let creationBytesMax = 32 << 20
    /// Operations in one batch: as many as a hub accepts in one delivery. On a distant link a backlog costs round trips
    /// by the batch.
    public static let batchOperationsMax = 1024
    /// Bytes of content in one batch; a single message may be larger.
    public static let batchBytesMax = 512 * 1024
    /// Default number of messages in one page.
    public static let pageSizeDefault = 20
    /// Maximum number of messages in one page.
    public static let pageSizeMax = 1000
    /// Characters of a server's reason that are stored with a failed message.
    public static let reasonCharactersMax = 500
    /// Earlier openings that a store remembers as its own; with one more the server treats it as a copy.
    public static let openingsKeptMax = 64
    /// Positions of a channel below that of its newest stored deleted message: older deleted messages are not kept.
    public static let deletedMessagesReachMax: Int64 = 10_000
    /// Past deletions that are kept; the oldest are dropped first.
    public static let deleteActionsKeptMax = 100_000
    /// State changes that are kept with a message; the oldest are dropped first.
    public static let historyKeptMax = 32
    /// Bytes of the name of a message's type, where messages are chosen by it.
    public static let messageTypeBytesMax = 128
    /// Bytes of a reaction's name.
    public static let reactionBytesMax = 64
    /// Operations on one message that may wait at the same time.
    public static let operationsPerMessageMax = 64
    /// The highest lane sequence that a server's mark may push the counter to; a mark above it is invalid.
    public static let sequenceMax: Int64 = 1 << 62
    /// The highest position of a message on a server; a position above it is invalid.
    public static let positionMax: Int64 = 1 << 62
    /// Users who gave one reaction to a message; a larger count from a server is clamped to this one.
    public static let reactionCountMax = 1_000_000_000
    /// Bytes of the id of a record.
    public static let recordIDBytesMax = 512
    /// Bytes of the fields of a record as JSON, and of the arguments of a write.
    public static let recordBytesMax = 65_536
    /// Lists that one record belongs to.
    public static let recordListsMax = 8
    /// Bytes of a channel's display name.
    public static let channelNameBytesMax = 256
    /// Bytes of a channel's metadata as JSON.
    public static let channelMetadataBytesMax = 8_192
    /// Nesting of a channel's metadata.
    public static let channelMetadataDepthMax = 16
    /// Bytes of the largest file that a client attaches, whatever a server accepts.
    public static let fileBytesMax: Int64 = 64 << 30
    /// Bytes of a file that are in memory at a time, while it is copied or read.
    public static let blobPartBytesMax = 256 * 1024
    /// Bytes of UTF-8 in the name of an attachment.
    public static let fileNameBytesMax = 255
    /// Bytes of a media type.
    public static let contentTypeBytesMax = 127
    /// Bytes of UTF-8 in the caption of a media message.
    public static let captionBytesMax = 8_192
    /// Tags of one message, and tags that a query includes or excludes.
    public static let tagsMax = 10
    /// Bytes of UTF-8 in one tag.
    public static let tagBytesMax = 64
    /// Bytes of an attachment's preview.
    public static let previewBytesMax = 2_048
    /// Pixels of an attachment's width, and of its height; a larger number is invalid.
    public static let mediaSidePixelsMax = 1 << 24
    /// Milliseconds of an attachment's duration, 34 years; a larger number is invalid.
    public static let mediaMillisecondsMax: Int64 = 1 << 40
    /// The newest delivered messages of a channel, which no retention drops.
    public static let retainedMessagesMin = 100
}
