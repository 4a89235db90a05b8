/// The content of a copy of a hub's storage.
package struct CopiedStorage: Sendable, Equatable {
    /// Messages that are not deleted.
    package let messages: Int
    /// Accounts that were not removed.
    package let accounts: Int

    package init(messages: Int, accounts: Int) {
        self.messages = messages
        self.accounts = accounts
    }
}
