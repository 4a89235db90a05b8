public import CausewayModels

/// The difference between two states of a collection, as seen by one observer.
///
/// Removing ``deletions`` from ``oldSnapshot`` and then adding ``insertions`` and ``modifications`` from ``snapshot``,
/// by ascending index, always results in ``snapshot``. All indices refer to these two snapshots, never to a later state
/// of the collection.
public struct LiveCollectionChange<Record: LiveRecord>: Sendable {
    /// The commit of the store that ``snapshot`` corresponds to. It only grows.
    public let version: Int64
    /// The state that this observer saw last; empty in its first change.
    public let oldSnapshot: LiveSnapshot<Record>
    /// The present state.
    public let snapshot: LiveSnapshot<Record>

    let indices: IndexChange
    let oldStatus: LiveStatus
    let status: LiveStatus

    /// Indices in ``oldSnapshot`` of records that were removed or moved; ascending.
    public var deletions: [Int] { indices.deletions }
    /// Indices in ``snapshot`` of records that are new or were moved; ascending.
    public var insertions: [Int] { indices.insertions }
    /// Indices in ``snapshot`` of records that changed without moving relative to the others; ascending.
    public var modifications: [Int] { indices.modifications }
    /// Records that moved relative to the others: each is also among the deletions and the insertions.
    public var moves: [LiveMove] { indices.moves }
    /// True if both snapshots are equal.
    public var isDataUnchanged: Bool { indices.isEmpty }

    /// True if anything differs. A change that was reverted before the observer looked is not reported.
    var isDifferent: Bool { !isDataUnchanged || !status.isSame(as: oldStatus) }

    /// The origin of the data.
    public var dataStatus: DataStatus { status.data }
    /// The progress of loading.
    public var loadingStatus: LoadingStatus { status.loading }
    /// True if there is another page after the last record.
    public var hasNext: Bool { status.hasNext }
    /// True if there is another page before the first record.
    public var hasPrevious: Bool { status.hasPrevious }
    /// True while a page after the last record is being loaded.
    public var isLoadingNext: Bool { status.isLoadingNext }
    /// True while a page before the first record is being loaded.
    public var isLoadingPrevious: Bool { status.isLoadingPrevious }
    /// The reason why the store or the server could not be asked; `nil` if both could.
    package var underlyingError: (any Error)? { status.error }
}
