/// The number of an account in the tables; see ``StoreSchema``.
struct AccountRow: Sendable, Hashable {
    var id: Int64

    /// The account that a store begins with; without a name until the first session.
    static let first = AccountRow(id: 1)
}
