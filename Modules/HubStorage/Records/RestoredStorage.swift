/// The result of replacing a hub's storage by a backup.
package struct RestoredStorage: Sendable, Equatable {
    package let messages: Int
    package let accounts: Int
    /// The path of the replaced storage, which is kept; `nil` when there was none.
    package let replaced: String?
    /// False when the replaced storage could not be read: the positions it had assigned were estimated.
    package let knowsReplaced: Bool

    package init(messages: Int, accounts: Int, replaced: String?, knowsReplaced: Bool) {
        self.messages = messages
        self.accounts = accounts
        self.replaced = replaced
        self.knowsReplaced = knowsReplaced
    }
}
