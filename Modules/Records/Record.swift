public import CausewayModels

/// A kind of records: its fields and their coding, the lists it belongs to, and its identity.
///
/// Everything else follows from this description: the rows and indexes of the client's stores and of the hub's, the
/// wire, the hub's endpoints, live queries and their topics. A new kind is one folder with a type that conforms, and
/// one line in ``RecordKinds``.
///
/// The coded form is the contract between client and hub: a new field is optional, and no field changes its meaning.
public protocol Record: Sendable, Hashable, Codable, Identifiable
where ID: LosslessStringConvertible & Hashable & Sendable {
    static var kind: RecordKind { get }

    /// The record's version on the server; 0 for a record that the server has not confirmed yet. Not coded with the
    /// fields: stores and the wire carry it beside them.
    var version: Int64 { get set }

    /// The lists to which the record belongs. Depends on the record alone.
    var entries: [ListEntry] { get }
}
