public import CausewayModels

/// The records other than messages.
public protocol RecordRows {
    /// The error of the layer below; that of ``ItemRows``.
    associatedtype Failure: Error

    /// The record of a kind with this id; `nil` if there is none.
    func record(_ kind: RecordKind, _ id: String) throws(Failure) -> StoredRecord?

    /// The first records of a list, as many as the query allows. Cost: linear in their number.
    func records(_ query: RecordListQuery) throws(Failure) -> [StoredRecord]

    /// Replaces the state of one record, with its entries in lists.
    ///
    /// - Precondition: `old` is the state that is stored, and at least one of both is not `nil`.
    mutating func setRecord(_ record: StoredRecord?, over old: StoredRecord?) throws(Failure)

    /// Sets the version of every record to 0. Cost: linear in their number.
    mutating func resetRecordVersions() throws(Failure)
}
