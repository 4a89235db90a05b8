/// The complete displayed state of a collection at one version: immutable, and published as a whole.
struct LiveFrame<Query: LiveQuery>: Sendable {
    /// The commit of the store that it corresponds to.
    var version: Int64 = 0
    var rows: OrderStatisticTree<Query.Key, Query.Record>
    var status = LiveStatus()
}

/// Everything except the data.
struct LiveStatus: Sendable {
    var data = DataStatus.notExist
    var loading = LoadingStatus.loading
    var hasNext = false
    var hasPrevious = false
    var isLoadingNext = false
    var isLoadingPrevious = false
    var error: (any Error)?
    /// The number of the error: two errors of the same kind have different numbers. 0 for none.
    var errorNumber = 0
    /// True once the first query of the store has ended.
    var isOpen = false

    /// True if a reader would see no difference; errors are compared by number. That the store has been read is none: a
    /// list of which nothing is stored shows nothing before the server has responded.
    func isSame(as other: LiveStatus) -> Bool {
        data == other.data && loading == other.loading && hasNext == other.hasNext && hasPrevious == other.hasPrevious
            && isLoadingNext == other.isLoadingNext && isLoadingPrevious == other.isLoadingPrevious
            && errorNumber == other.errorNumber
    }
}
