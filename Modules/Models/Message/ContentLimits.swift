/// The largest contents of messages that a server accepts; never above the client's own ``Limits``.
public struct ContentLimits: Sendable, Hashable {
    /// Bytes of UTF-8 in a text.
    public let textBytesMax: Int
    /// Bytes of JSON in a custom message.
    public let customBytesMax: Int
    /// Bytes of an attachment's file; `nil` if the server does not accept media messages.
    public let fileBytesMax: Int64?

    /// Creates limits; those above the client's own ``Limits`` are lowered to them. The default accepts no media
    /// messages.
    public init(
        textBytesMax: Int = Limits.textBytesMax, customBytesMax: Int = Limits.customBytesMax,
        fileBytesMax: Int64? = nil
    ) {
        self.textBytesMax = min(textBytesMax, Limits.textBytesMax)
        self.customBytesMax = min(customBytesMax, Limits.customBytesMax)
        self.fileBytesMax = fileBytesMax.map { min($0, Limits.fileBytesMax) }
    }
}
