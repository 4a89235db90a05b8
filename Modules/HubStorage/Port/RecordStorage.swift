package import CausewayHubRules
package import CausewayModels

/// The records of a hub, for every kind in the same way: rows, and their entries in lists. The rules of the kinds
/// decide what they contain; a storage knows only their keys.
package protocol RecordStorage: Sendable {
    /// Returns what the keys name, as of one moment.
    ///
    /// Cost: a look-up for each record and user, and the length of each list up to ``RecordState/countMax``.
    func records(_ keys: RecordKeys) async throws(HubStorageError) -> RecordState

    /// Returns a page of a list: records that are not deleted, by key, those with equal keys by id.
    ///
    /// Cost: the size of the page, not of the list.
    func records(
        in list: RecordList, _ range: RecordRange, limit: PageLimit
    ) async throws(HubStorageError) -> RecordPage

    /// Runs one transaction outside of deliveries: loads what the keys name, calls `decide` with it, and stores the
    /// changes. As for a delivery, `decide` has no effects and may be called again. Works without an opening.
    ///
    /// - Throws: `outcomeUnknown` when the commit failed. After every other error nothing is stored.
    func changeRecords<Value: Sendable>(
        loading keys: RecordKeys, _ decide: @escaping @Sendable (RecordState) -> RecordDecision<Value>
    ) async throws(HubStorageError) -> Value
}

/// The part of a list that a page reads.
package struct RecordRange: Sendable, Equatable {
    /// The position after which it begins, in the direction of reading; `nil` for the beginning.
    package var after: ListCursor?
    package var isDescending: Bool

    package init(after: ListCursor? = nil, isDescending: Bool = false) {
        self.after = after
        self.isDescending = isDescending
    }
}

/// A page of a list of records.
package struct RecordPage: Sendable, Equatable {
    /// In the order of reading.
    package var rows: [RecordRow]
    /// The position of the last row, if more follow; `nil` at the end of the list.
    package var next: ListCursor?

    package init(rows: [RecordRow], next: ListCursor?) {
        self.rows = rows
        self.next = next
    }
}

/// The result of a decision about records: the changes to store, and a value for the caller.
package struct RecordDecision<Value: Sendable>: Sendable {
    package var changes: [RecordKey: RecordChange]
    package var value: Value

    package init(changes: [RecordKey: RecordChange], value: Value) {
        self.changes = changes
        self.value = value
    }
}
