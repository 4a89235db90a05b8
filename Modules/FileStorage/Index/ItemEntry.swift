import CausewayModels
import CausewayStorage

/// The index's knowledge of one message or operation, complete: ``ItemTable/Entry`` with the channel's name and the
/// message that it depends on.
struct ItemEntry: Sendable, Equatable {
    var id: UUIDv7
    var channel: ChannelID
    var ordinal: Int64
    var state: SyncState
    var isOperation: Bool
    var laneSequence: Int64
    /// Of a `synced` message.
    var position: Int64?
    /// The message that it refers to while it is in the outbox; see `StoredItem.reference`.
    var related: MessageID?
    /// True for a failed item that pauses its lane.
    var pausesLane: Bool
    /// The size of the coded content.
    var bytes: Int
    var location: RecordLocation

    init(_ item: StoredItem, bytes: Int, at location: RecordLocation) {
        id = item.id.value
        channel = item.channel
        ordinal = item.ordinal
        state = item.syncState
        isOperation = !item.createsMessage
        laneSequence = item.laneSequence
        position = item.message?.serverPosition?.position
        related = item.reference
        pausesLane = item.pause != nil
        self.bytes = bytes
        self.location = location
    }

    init(_ fields: ItemFields, at location: RecordLocation) throws(FieldReader.Malformed) {
        id = fields.id
        channel = try fields.channel()
        ordinal = fields.ordinal
        state = fields.state
        isOperation = fields.isOperation
        laneSequence = fields.laneSequence
        position = fields.position
        related = state == .synced ? nil : fields.related
        pausesLane = fields.pausesLane && fields.state == .error && fields.lane != nil
        bytes = fields.contentBytes
        self.location = location
    }

    init(_ entry: ItemTable.Entry, _ channel: ChannelID, related: MessageID?) {
        id = entry.id
        self.channel = channel
        ordinal = entry.ordinal
        state = entry.state
        isOperation = entry.isOperation
        laneSequence = entry.state == .synced ? 0 : entry.key
        position = entry.state == .synced ? entry.key : nil
        self.related = related
        pausesLane = entry.flags & ItemTable.Entry.pauses != 0
        bytes = Int(entry.bytes)
        location = entry.location
    }

    /// The bytes of its record, and of the content if that is in another one.
    var diskBytes: Int64 { Self.diskBytes(length: location.length, content: bytes) }

    static func diskBytes(length: UInt32, content: Int) -> Int64 {
        Int64(length) + (Int64(length) < Int64(content) ? Int64(content) : 0)
    }

    /// - Parameter channel: the number of the channel in its account.
    func compact(_ channel: UInt32) -> ItemTable.Entry {
        var flags = UInt8(truncatingIfNeeded: StateCode.code(state))
        if isOperation { flags |= ItemTable.Entry.operation }
        if pausesLane { flags |= ItemTable.Entry.pauses }
        if related != nil { flags |= ItemTable.Entry.related }
        return ItemTable.Entry(
            id: id, ordinal: ordinal, key: state == .synced ? position ?? .max : laneSequence,
            place: location.packed, length: location.length, bytes: UInt32(clamping: bytes), channel: channel,
            flags: flags)
    }
}

extension ItemTable.Entry {
    var state: SyncState { StateCode.state(Int64(flags & Self.stateMask)) ?? .error }
    var isOperation: Bool { flags & Self.operation != 0 }
    var isPending: Bool { state != .synced && state != .error }
    var isParked: Bool { state == .created && key == 0 }
    /// The position in the order of its channel: undelivered messages come last.
    var position: Int64 { state == .synced ? key : .max }
    var location: RecordLocation { RecordLocation(packed: place, length: length) }
}
