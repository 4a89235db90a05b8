package import CausewayModels

/// Detects that the memberships of an account have changed while its rights were being read; free of I/O.
///
/// It holds the accounts whose rights are being read, and no others.
package struct MembershipChecks: Sendable {
    private struct Account: Sendable {
        var checks = 0
        var changes = 0
    }

    private var accounts: [UserID: Account] = [:]

    package init() {}

    /// The accounts that it holds.
    package var count: Int { accounts.count }

    /// To be called before the rights of an account are read.
    ///
    /// - Returns: the number to pass to ``end(_:begunAt:)``.
    package mutating func begin(_ user: UserID) -> Int {
        accounts[user, default: Account()].checks += 1
        return accounts[user]?.changes ?? 0
    }

    /// The memberships of an account may have changed.
    package mutating func noteChange(of user: UserID) { accounts[user]?.changes += 1 }

    /// To be called once for each call of ``begin(_:)``.
    ///
    /// - Returns: whether the rights that were read since are still those of the account.
    package mutating func end(_ user: UserID, begunAt changes: Int) -> Bool {
        guard var account = accounts[user] else { return false }
        account.checks -= 1
        accounts[user] = account.checks > 0 ? account : nil
        return account.changes == changes
    }
}
