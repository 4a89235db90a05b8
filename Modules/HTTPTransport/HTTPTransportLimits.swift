/// All limits of this transport in one place; those of HTTP itself are in `HTTPLimits`, those of messages in `Limits`.
enum HTTPTransportLimits {
    /// Batches under way at once: the number of connections, so that none of them waits here for another one.
    static let deliveriesInFlightTotalMax = 8
    /// Batches of one lane under way at once. Each has a connection of its own; the hub puts those that arrive out of
    /// order into order.
    static let deliveriesInFlightMax = 6
    /// Connections for events: one for the request that waits, and one for its successor while that one is closed.
    static let eventConnectionsMax = 2
    /// Requests that wait for the socket.
    static let socketWaitingMax = 256
    /// Requests under way on a socket whose server names no window.
    static let socketWindowDefault = 4
    /// Seconds after which a socket that carries nothing is closed.
    static let socketIdleSeconds: Int64 = 60
    /// Seconds from a sent close frame to the end of the connection.
    static let socketCloseSeconds: Int64 = 1
    /// Lives of sockets in a row that ended early, after which requests go over HTTP for a while.
    static let quickEndsMax = 3
    /// The life of a socket in seconds that does not count as an early end.
    static let socketLifeSecondsMin: Int64 = 30
    /// Seconds after which a socket is tried again; doubled after each attempt without success, up to the longest.
    static let socketRetrySecondsMin: Int64 = 30
    static let socketRetrySecondsMax: Int64 = 1800
    /// Records in one part of the log.
    static let eventsPerRequest = 1000
    /// Channels in the ephemeral events of one part, and users in each list of one; further ones are dropped.
    static let ephemeralChannelsMax = 10_000
    static let ephemeralUsersMax = 200
    /// The longest time for which a server can say that a user is typing, in milliseconds.
    static let typingMillisecondsMax: Int64 = 60_000
    /// The shortest wait that a server can request, in seconds. Not 0: such a wait uses up no retry, so a server that
    /// always requests none would be retried endlessly.
    static let retryAfterSecondsMin: Int64 = 1
    /// The longest wait that a server can request, in seconds; a wrong value must not stop an outbox for years.
    static let retryAfterSecondsMax: Int64 = 3600
    /// Seconds to wait when the server reports "too many requests" without a time.
    static let rateLimitSecondsDefault: Int64 = 5
    /// JSON values in one response. A page of 8 MiB of content, all of it numbers of one digit, holds fewer.
    static let responseValuesMax = 4_500_000
    /// Uploads and downloads at once; further ones wait for a connection.
    static let mediaConnectionsMax = 6
    /// Bytes of a download that wait while those before them are stored; as many are being stored. Fewer make a fast
    /// network stop and go.
    static let mediaBytesHeldMax = 1024 * 1024
    /// Bytes of the largest file that is sent in the request that creates its upload. Its progress is not known, and a
    /// cut loses it where a proxy withholds the name of the upload.
    static let createdWithContentBytesMax: Int64 = 1024 * 1024
    /// Bytes of a response to a request for a file, except the file itself.
    static let mediaResponseBytesMax = 64 * 1024
    /// Bytes of a file that a server is expected to verify in a second before it responds.
    static let verifiedBytesPerSecond: Int64 = 16 * 1024 * 1024
    /// Bytes of the location of an upload, and of its name therein.
    static let locationBytesMax = 4096
    static let uploadNameBytesMax = 128
    /// Offsets in a row that a server names instead of the one of a request, without bringing the upload forward.
    static let offsetMismatchesMax = 3
    /// JSON values in a problem of an upload.
    static let problemValuesMax = 64
    /// Characters of a server's machine-readable code that are kept.
    static let codeCharactersMax = 64
    /// Bytes of a server's text that are processed.
    static let wordsBytesMax = 16 * 1024
    /// The shortest token, in bytes, that is searched for in a server's text; a shorter one is no secret.
    static let secretBytesMin = 8
}
