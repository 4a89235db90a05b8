package import CausewayModels

/// An account that may use the hub.
package struct Account: Sendable, Hashable {
    /// The hub's own number for the account; never reused.
    let number: Int64
    package let user: UserID
    package let createdAt: Timestamp
    /// The time of its removal; a removed account has no token.
    package let removedAt: Timestamp?
}
