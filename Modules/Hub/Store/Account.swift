package import CausewayModels

/// Somebody who may speak to the hub.
package struct Account: Sendable, Hashable {
    /// The hub's own number for it; never given to another.
    let number: Int64
    package let user: UserID
    package let createdAt: Timestamp
    /// When it was removed; a removed account has no token.
    package let removedAt: Timestamp?
}
