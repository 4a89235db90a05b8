/// What became of a collection between two looks at it.
///
/// Taking ``deletions`` out of ``oldSnapshot`` and then putting in ``insertions`` and ``modifications`` from
/// ``snapshot``, by ascending index, gives ``snapshot``; always. All of them belong to these two snapshots, never to
/// what the collection has become meanwhile.
public struct LiveCollectionChange<Record: LiveRecord>: Sendable {
    /// The commit of the store up to which ``snapshot`` holds. It only grows.
    public let version: Int64
    /// What this observer saw last; empty in its first change.
    public let oldSnapshot: LiveSnapshot<Record>
    public let snapshot: LiveSnapshot<Record>

    let indices: IndexChange
    let oldStatus: LiveStatus
    let status: LiveStatus

    /// Indices in ``oldSnapshot`` of what is gone, or went to another place; ascending.
    public var deletions: [Int] { indices.deletions }
    /// Indices in ``snapshot`` of what is new, or came from another place; ascending.
    public var insertions: [Int] { indices.insertions }
    /// Indices in ``snapshot`` of what changed and kept its place among the others; ascending.
    public var modifications: [Int] { indices.modifications }
    /// Records that went to another place among the others: each is a deletion and an insertion, too.
    public var moves: [LiveMove] { indices.moves }
    /// True when both snapshots show the same.
    public var isDataUnchanged: Bool { indices.isEmpty }

    /// True when anything differs. What changed and changed back before it was looked at leaves nothing to tell.
    var isDifferent: Bool { !isDataUnchanged || !status.isSame(as: oldStatus) }

    public var dataStatus: DataStatus { status.data }
    public var loadingStatus: LoadingStatus { status.loading }
    public var hasNext: Bool { status.hasNext }
    public var hasPrevious: Bool { status.hasPrevious }
    /// Why the store or the server could not be asked; `nil` when both could.
    public var error: (any Error)? { status.error }
}
