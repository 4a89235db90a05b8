/// A value that live objects and live collections can observe, with an identity of its own.
///
/// The identity relates two values as two states of one record: a message keeps it from its creation through its
/// delivery, so its progress is reported as modifications, never as a removal and an insertion of another record.
public protocol LiveRecord: Sendable, Identifiable, Equatable where ID: Sendable {}

extension Message: LiveRecord {}

extension Session: LiveRecord {}

extension DeleteAction: LiveRecord {
    /// The number of the action: ``sequence``.
    public var id: Int64 { sequence }
}
