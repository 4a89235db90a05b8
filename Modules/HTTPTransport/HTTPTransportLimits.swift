/// Every bound of this transport in one place; those of HTTP itself are in `HTTPLimits`, those of messages in `Limits`.
enum HTTPTransportLimits {
    /// Deliveries under way at once: as many as there are connections, so that none of them waits here for another one.
    static let deliveriesInFlightTotalMax = 4
    /// Seconds of the shortest wait that a server can ask for. Not 0: such a wait uses up no retry, so that a server
    /// which always asks for none would be asked without end.
    static let retryAfterSecondsMin: Int64 = 1
    /// Seconds of the longest wait that a server can ask for; a mistake there must not stop an outbox for years.
    static let retryAfterSecondsMax: Int64 = 3600
    /// Seconds to wait when the server says "too many requests" and not how long.
    static let rateLimitSecondsDefault: Int64 = 5
    /// JSON values in one answer. A page of 8 MiB of content, all of it numbers of one digit, holds fewer.
    static let answerValuesMax = 4_500_000
    /// Characters of a server's machine-readable word that are kept.
    static let codeCharactersMax = 64
    /// Bytes of a server's words that are looked at.
    static let wordsBytesMax = 16 * 1024
    /// Bytes of the shortest token that is looked for in a server's words; a shorter one is no secret.
    static let secretBytesMin = 8
}
