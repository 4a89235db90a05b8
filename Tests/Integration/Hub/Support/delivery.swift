import CausewayModels
import CausewayWire

/// Short forms for a client's deliveries. Ids are numbers made into UUIDs.
func id(_ number: UInt64) -> MessageID {
    MessageID(UUIDv7(high: 0x0190_A6B2_0000_7000, low: 0x8000_0000_0000_0000 + number))
}

func outbox(_ number: UInt64) -> OutboxID {
    OutboxID(UUIDv7(high: 0x0190_A6B2_0000_7001, low: 0x8000_0000_0000_0000 + number))
}

func delivery(
    _ operations: [WireOperation], outbox number: UInt64 = 1, epoch: Int64 = 1, opening: UInt64? = nil,
    after ancestors: [UInt64] = [], base: Int64? = nil, lane: LaneID = .text,
    isPipelined: Bool = false
) -> WireDelivery {
    WireDelivery(
        outbox: outbox(number), epoch: epoch, opening: opening.map(CausewayHubTests.opening),
        ancestors: ancestors.isEmpty ? nil : ancestors.map(CausewayHubTests.opening), base: base, lane: lane,
        pipelined: isPipelined ? true : nil, operations: operations)
}

func opening(_ number: UInt64) -> OpeningID {
    OpeningID(UUIDv7(high: 0x0190_A6B2_0000_7002, low: 0x8000_0000_0000_0000 + number))
}

func send(
    _ sequence: Int64, after previous: Int64? = nil, _ number: UInt64? = nil, channel: String = "general",
    content: MessageContent? = nil, parent: UInt64? = nil, tags: [String]? = nil
) -> WireOperation {
    WireOperation(
        kind: .send, sequence: sequence, previous: previous ?? sequence - 1, id: id(number ?? UInt64(sequence)),
        channel: ChannelID(channel), content: content ?? .text("message \(number ?? UInt64(sequence))"),
        createdAt: Timestamp(milliseconds: 1000 + sequence), parent: parent.map(id), tags: tags)
}

/// An edit of a target, or a reaction to it.
func change(
    _ kind: WireOperation.Kind, _ sequence: Int64, after previous: Int64? = nil, _ number: UInt64, on target: UInt64
) -> WireOperation {
    WireOperation(
        kind: kind, sequence: sequence, previous: previous ?? sequence - 1, id: id(number),
        content: kind == .edit ? .text("message \(number)") : nil, target: id(target),
        reaction: kind == .edit ? nil : ["wave", "+1"][Int(number % 2)])
}

/// A write to a record.
func write(_ sequence: Int64, _ number: UInt64, _ record: RecordWrite) -> WireOperation {
    WireOperation(
        kind: .write, sequence: sequence, previous: sequence - 1, id: id(number), record: WireRecordWrite(record))
}

func write(_ sequence: Int64, _ record: RecordWrite) -> WireOperation { write(sequence, UInt64(sequence), record) }

func fence(_ sequence: Int64, after previous: Int64? = nil, _ number: UInt64? = nil) -> WireOperation {
    WireOperation(
        kind: .fence, sequence: sequence, previous: previous ?? sequence - 1, id: id(number ?? UInt64(sequence)))
}

func delete(_ sequence: Int64, after previous: Int64? = nil, _ number: UInt64) -> WireOperation {
    WireOperation(kind: .delete, sequence: sequence, previous: previous ?? sequence - 1, id: id(number))
}
