package import CausewayModels

/// A topic of the hub's log: the scope of a change, which decides who may read it.
package enum LogTopic: Sendable, Hashable {
    /// A channel: its record, its messages with their reactions, and its members.
    case channel(ChannelID)
    /// An account's own records: its memberships.
    case account(UserID)

    /// The name in a storage: the kind of the topic, a colon, and an id, which may contain colons.
    package var name: String {
        switch self {
        case .channel(let id): "channel:\(id)"
        case .account(let user): "account:\(user)"
        }
    }

    package var isAccount: Bool { if case .account = self { true } else { false } }

    /// - Returns: `nil` for text that is not the ``name`` of a topic.
    package init?(name: some StringProtocol) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "channel":
            guard let id = ChannelID(String(parts[1])) else { return nil }
            self = .channel(id)
        case "account":
            guard let user = UserID(String(parts[1])) else { return nil }
            self = .account(user)
        default: return nil
        }
    }
}
