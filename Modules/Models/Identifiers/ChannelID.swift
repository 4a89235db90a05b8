/// The identity of a channel, as users write it (`general`).
public struct ChannelID: NamedIdentifier {
    public static let noun = "channel"
    public let value: String

    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}
