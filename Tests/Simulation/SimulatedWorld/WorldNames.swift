import CausewayModels

/// The fixed identities of the world: users, channels, messages.
enum WorldNames {
    static let users: [UserID] = [fixed(UserID("ada")), fixed(UserID("ben"))]
    static let channels: [ChannelID] =
        [fixed(ChannelID("general")), fixed(ChannelID("plans")), fixed(ChannelID("cats"))]
        + (4...crowd).map { fixed(ChannelID("channel\($0)")) }
    /// The number of channels of a world with many.
    static let crowd = 200

    static func message(_ number: Int) -> MessageID { MessageID(UUIDv7(high: 7, low: UInt64(number))) }

    /// The text of a large message is as long as this.
    private static let large = String(repeating: "message ", count: 1_500)

    static func content(_ number: Int, isMedia: Bool, isLarge: Bool = false) -> MessageContent {
        isMedia
            ? .audio(
                Attachment(
                    name: "\(number)", contentType: "audio/ogg", size: number % 6 == 0 ? 50 : Int64(number * 7 % 60),
                    // Some messages share a file.
                    sha256: number % 6 == 0 ? "shared" : "file \(number)"))
            : .text(isLarge ? "\(large)\(number)" : "message \(number)")
    }

    private static func fixed<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("a fixed name is a name") }
        return value
    }
}
