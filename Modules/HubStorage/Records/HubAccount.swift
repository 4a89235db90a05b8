package import CausewayModels

/// An account that may use the hub.
package struct HubAccount: Sendable, Hashable {
    /// The hub's own number for the account; never reused.
    package let number: Int64
    package let user: UserID
    package let createdAt: Timestamp
    /// The time of its removal; a removed account has no token.
    package let removedAt: Timestamp?

    package init(number: Int64, user: UserID, createdAt: Timestamp, removedAt: Timestamp?) {
        self.number = number
        self.user = user
        self.createdAt = createdAt
        self.removedAt = removedAt
    }
}
