import CausewayModels

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes the entries of a stream (``StoreEntry``) into the rows of a new store: the counterpart of every reader, for
/// all stores.
///
/// A value that lives as long as the stream; the rows may be other ones in each call.
public struct EntryRestorer: Sendable {
    private var header: StoreHeader?
    private var account: Account??

    /// Begins with the first entry of a stream.
    public init() {}

    /// Writes one entry.
    ///
    /// - Precondition: the entries come in the order of ``StoreEntry``, the rows began empty.
    public mutating func restore<Rows: StoreRows>(
        _ entry: StoreEntry, to rows: inout Rows
    ) throws(Rows.Failure) {
        switch entry {
        case .header(let header):
            self.header = header
            rows.nextSequence = max(rows.nextSequence, header.nextSequence)
            var outbox = rows.outbox
            outbox.epoch = header.epoch
            outbox.lineage.sharedBelow = header.sharedBelow
            try rows.setOutbox(outbox)
        case .account(let entry):
            account = .some(entry.account)
            let newID = entry.outboxID ?? OutboxID(UUIDv7(high: 0, low: 1))
            if let account = entry.account { try rows.enter(account, newOutboxID: newID) }
            var outbox = rows.outbox
            outbox.id = entry.outboxID
            outbox.lineage.opening = entry.opening
            outbox.lineage.ancestors = entry.ancestors
            outbox.history = entry.history
            outbox.eventCursor = entry.eventCursor
            try rows.setOutbox(outbox)
        case .lane(let lane, let sequence): try rows.setLastTransmitted(lane, sequence)
        case .marker(let marker): try rows.setMarker(marker, at: marker.sequence)
        case .item(let item):
            // Content that a store has returned can be coded again.
            guard let content = try? ContentCoding.encode(item.sentContent) else { return }
            try rows.restore(item, content: content)
        case .record(let record): try rows.setRecord(record, over: nil)
        case .deletion(let action): try rows.insert(action, keeping: .max)
        }
    }

    /// Makes the account that was the current one current again, and stores the session. Called once, at the end.
    public func finish<Rows: StoreRows>(_ rows: inout Rows) throws(Rows.Failure) {
        guard let header else { return }
        if let current = header.current {
            try rows.enter(current, newOutboxID: rows.outbox.id ?? OutboxID(UUIDv7(high: 0, low: 1)))
        }
        if let session = header.session { try rows.setSession(session) }
    }
}

extension ItemRows {
    /// Default for rows whose insertion writes every value of an item.
    public mutating func restore(_ item: StoredItem, content: Data) throws(Failure) {
        try insert(item, content: content)
    }
}
