/// Everything that a collection shows at one version: frozen, and handed over as one.
struct LiveFrame<Query: LiveQuery>: Sendable {
    /// The commit of the store up to which it holds.
    var version: Int64 = 0
    var rows: RankedRows<Query.Key, Query.Record>
    var status = LiveStatus()
}

/// Everything but the data.
struct LiveStatus: Sendable {
    var data = DataStatus.notExist
    var loading = LoadingStatus.notLoading
    var hasNext = false
    var hasPrevious = false
    var error: (any Error)?
    /// Which error it is: two of the same kind are two. 0 for none.
    var errorNumber = 0
    /// True when the first query of the store has ended.
    var isOpen = false

    /// True when a reader would see no difference; errors are numbered, not compared.
    func isSame(as other: LiveStatus) -> Bool {
        data == other.data && loading == other.loading && hasNext == other.hasNext && hasPrevious == other.hasPrevious
            && errorNumber == other.errorNumber && isOpen == other.isOpen
    }
}
