import CausewayModels

/// The hub's log of changed messages: the position of the last change of each.
///
/// Stored with the data, like the identity. Equal to every other log: in a world without events it does not affect the
/// state.
struct HubLog: Sendable, Hashable {
    private(set) var end: Int64 = 0
    private(set) var changed: [MessageID: Int64] = [:]
    /// The positions up to this one are no longer kept.
    var start: Int64 = 0

    mutating func append(_ message: MessageID) {
        end += 1
        changed[message] = end
    }

    /// The messages that changed after a position, in the order of their last changes.
    func changes(after position: Int64) -> [(message: MessageID, position: Int64)] {
        changed.filter { $0.value > position }.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
    }

    static func == (_: HubLog, _: HubLog) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
