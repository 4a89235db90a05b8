/// The identity of a user on a server.
public struct UserID: NamedIdentifier {
    public static let noun = "user"
    public let value: String

    public init?(_ value: String) {
        guard Name.problem(with: value) == nil else { return nil }
        self.value = value
    }
}
