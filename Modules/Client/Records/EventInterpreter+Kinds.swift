import CausewayLiveQuery
import CausewayModels
import CausewayRecords
import CausewaySync
import CausewayTransport

extension EventInterpreter {
    /// Interprets the records of all kinds.
    static let allKinds = EventInterpreter(
        stored: { record in
            func stored<Value: Record>(_ kind: Value.Type) -> StoredRecord? { record.stored(as: kind) }
            return RecordKinds.all.first { $0.kind == record.kind }.flatMap { stored($0) }
        },
        channel: { kind, id in kind == ChannelMember.kind ? ChannelMemberID(id)?.channel : nil })
}

extension RemoteFollowing {
    init(_ phase: FollowedEvents.Phase) {
        self =
            switch phase {
            case .none: .none
            case .interrupted: .interrupted
            case .streaming: .streaming
            }
    }
}
