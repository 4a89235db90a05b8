public import CausewayModels

/// A kind of records: its fields and their coding, the lists it belongs to, and its identity.
///
/// Everything else follows from this description: the rows and indexes of the client's stores and of the hub's, the
/// wire, the hub's endpoints, live queries and their topics. A new kind is one folder with a type that conforms, and
/// one line in ``RecordKinds``.
///
/// The coded form is the contract between client and hub: it contains the id, or the parts of it; a new field is
/// optional, and no field changes its meaning.
public protocol Record: LiveRecord, Hashable, Codable
where ID: LosslessStringConvertible & Hashable & Sendable {
    /// The kind's name in stores and on the wire; never changed.
    static var kind: RecordKind { get }

    /// The record's version on the server; 0 for a record that the server has not confirmed yet. Not coded with the
    /// fields: stores and the wire carry it beside them.
    var version: Int64 { get set }

    /// The lists to which the record belongs. Depends on the record alone.
    var entries: [ListEntry] { get }

    /// Returns why no server can accept the write; `nil` if its id, action and arguments are well-formed. Depends on
    /// the write alone: a server may still refuse it.
    static func problem(with write: RecordWrite) -> RecordProblem?
}

/// A reason why a write is refused, whoever makes it.
public struct RecordProblem: Error, Sendable, Hashable {
    /// A machine-readable code: `idInvalid`, `actionUnknown`, `argumentsInvalid`.
    public var code: String
    /// A description for users.
    public var detail: String

    /// Creates a reason; clients rely on the code, and users read the detail.
    public init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension Record {
    /// A kind without writes.
    public static func problem(with write: RecordWrite) -> RecordProblem? { .action(write) }
}

extension RecordProblem {
    static func id(_ write: RecordWrite) -> RecordProblem {
        RecordProblem(code: "idInvalid", detail: "invalid id of a record of the kind \(write.kind)")
    }

    static func action(_ write: RecordWrite) -> RecordProblem {
        RecordProblem(
            code: "actionUnknown",
            detail: "records of the kind \(write.kind) have no action \(write.action.prefix(Limits.nameBytesMax))")
    }

    static func arguments(_ detail: String) -> RecordProblem {
        RecordProblem(code: "argumentsInvalid", detail: detail)
    }
}
