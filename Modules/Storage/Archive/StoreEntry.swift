public import CausewayModels

/// One entry of the complete content of a store, whatever its kind.
///
/// The content of a store is a stream of entries in one order, so that two stores have the same content if and only if
/// their streams are equal: ``header(_:)``; then for each account, ordered by server and user, ``account(_:)`` followed
/// by its lanes (by name), its control entries (by sequence), its messages (by ordinal), its operations (by ordinal),
/// its records (by kind and id) and its past deletions (by sequence). Texts are ordered by their UTF-8 bytes.
///
/// Values that a store computes from these entries (indexes, counts, the moment of an opening) are not part of them.
/// The files of media messages are named by the messages.
public enum StoreEntry: Sendable, Hashable {
    /// The first entry.
    case header(StoreHeader)
    /// Begins an account: all entries up to the next one belong to it.
    case account(AccountEntry)
    /// See ``OutboxSnapshot/lastTransmitted``.
    case lane(LaneID, lastTransmitted: Int64)
    /// A place in a lane, or a deletion that the server has not received.
    case marker(ChainMarker)
    /// A message or an operation.
    case item(StoredItem)
    /// A record other than a message.
    case record(StoredRecord)
    /// A past deletion.
    case deletion(DeleteAction)
}

/// The values that all accounts of a store have in common.
public struct StoreHeader: Sendable, Hashable {
    /// The last opening's number.
    public var epoch: Int64
    /// No number at or above it was ever assigned.
    public var nextSequence: Int64
    /// See ``Lineage/sharedBelow``.
    public var sharedBelow: Int64
    /// The session that was saved last.
    public var session: Session?
    /// The current account; `nil` before the first session.
    public var current: Account?

    /// See the properties.
    public init(epoch: Int64, nextSequence: Int64, sharedBelow: Int64, session: Session?, current: Account?) {
        self.epoch = epoch
        self.nextSequence = nextSequence
        self.sharedBelow = sharedBelow
        self.session = session
        self.current = current
    }
}

/// The values of one account's outbox.
public struct AccountEntry: Sendable, Hashable {
    /// `nil` for the only account of a store before the first session.
    public var account: Account?
    /// The outbox under which the account's messages are sent; `nil` before the first session.
    public var outboxID: OutboxID?
    /// The last opening that the account's outbox knew.
    public var opening: OpeningID?
    /// See ``Lineage/ancestors``.
    public var ancestors: [OpeningID]
    /// The history of the server's data that was named last.
    public var history: ServerHistory?
    /// The position in the server's log up to which events are stored.
    public var eventCursor: EventCursor?

    /// See the properties.
    public init(
        account: Account?, outboxID: OutboxID?, opening: OpeningID? = nil, ancestors: [OpeningID] = [],
        history: ServerHistory? = nil, eventCursor: EventCursor? = nil
    ) {
        self.account = account
        self.outboxID = outboxID
        self.opening = opening
        self.ancestors = ancestors
        self.history = history
        self.eventCursor = eventCursor
    }

    /// The entry of an account with this outbox.
    public init(_ account: Account?, _ outbox: OutboxRecord) {
        self.init(
            account: account, outboxID: outbox.id, opening: outbox.lineage.opening,
            ancestors: outbox.lineage.ancestors, history: outbox.history, eventCursor: outbox.eventCursor)
    }

    /// The order of the accounts in a stream.
    package static func precedes(_ left: Account?, _ right: Account?) -> Bool {
        guard let left, let right else { return left == nil && right != nil }
        if left.server != right.server { return left.server.utf8.lexicographicallyPrecedes(right.server.utf8) }
        return left.user.value.utf8.lexicographicallyPrecedes(right.user.value.utf8)
    }
}

/// The numbers of entries by their kind.
package struct StoreEntryCounts: Sendable, Hashable, Codable {
    package var accounts = 0
    package var messages = 0
    package var operations = 0
    package var markers = 0
    package var lanes = 0
    package var records = 0
    package var deletions = 0

    package init() {}

    /// All entries but the header.
    package var total: Int { accounts + messages + operations + markers + lanes + records + deletions }

    package mutating func count(_ entry: StoreEntry) {
        switch entry {
        case .header: break
        case .account: accounts += 1
        case .lane: lanes += 1
        case .marker: markers += 1
        case .item(.message): messages += 1
        case .item(.operation): operations += 1
        case .record: records += 1
        case .deletion: deletions += 1
        }
    }
}

/// The fingerprint of a stream: equal for equal streams, and different for different ones, except by accident of 64
/// bits. Comparable only within one process.
package struct StoreFingerprint: Sendable, Hashable {
    package private(set) var counts = StoreEntryCounts()
    private var hasher = Hasher()

    package init() {}

    package mutating func add(_ entry: StoreEntry) {
        counts.count(entry)
        hasher.combine(entry)
    }

    package static func == (left: StoreFingerprint, right: StoreFingerprint) -> Bool {
        left.counts == right.counts && left.hasher.finalize() == right.hasher.finalize()
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(counts) }
}
