import CausewayModels
import CausewayStorage
import Foundation

/// The fields of an item's record, before its parts are decoded: what the index needs costs no decoding of JSON.
struct ItemFields {
    typealias Tag = ItemCoding.Tag

    private(set) var account = 0
    private(set) var id = UUIDv7(high: 0, low: 0)
    private(set) var ordinal: Int64 = 0
    private(set) var state = SyncState.created
    private(set) var laneSequence: Int64 = 0
    private(set) var related: MessageID?
    private(set) var contentBytes = 0
    private(set) var pausesLane = false
    /// The record that contains the content, if it is not this one.
    private(set) var contentAt: RecordLocation?
    private(set) var content: ArraySlice<UInt8>?
    private(set) var position: Int64?
    private var payload: Int64 = 0
    private var channelText: ArraySlice<UInt8> = []
    private var senderText: ArraySlice<UInt8> = []
    private var createdAt: Int64 = 0
    private var isInDoubt = false
    private(set) var lane: LaneID?
    private(set) var previousSequence: Int64?
    private var queuedAt: Int64?
    private(set) var attempts = 0
    private var lastAttemptAt: Int64?
    private var acceptedAt: Int64?
    private var failure: ArraySlice<UInt8>?
    private var history: ArraySlice<UInt8>?
    private var aggregates: ArraySlice<UInt8>?
    private var displayed: ArraySlice<UInt8>?
    private var upload: AttachmentUpload?

    init(_ reader: FieldReader) throws(FieldReader.Malformed) {
        var reader = reader
        var hasID = false
        var contentAt: (file: Int64?, offset: Int64?, length: Int64?)
        while let (tag, value) = try reader.next() {
            switch (tag, value) {
            case (Tag.account, .number(let number)): account = Int(clamping: number)
            case (Tag.id, .bytes(let bytes)):
                guard let found = UUIDv7(bytes: bytes) else { throw .init(detail: "the id is malformed") }
                id = found
                hasID = true
            case (Tag.ordinal, .number(let number)): ordinal = number
            case (Tag.payload, .number(let number)): payload = number
            case (Tag.channel, .bytes(let bytes)): channelText = bytes
            case (Tag.sender, .bytes(let bytes)): senderText = bytes
            case (Tag.related, .bytes(let bytes)): related = UUIDv7(bytes: bytes).map(MessageID.init)
            case (Tag.createdAt, .number(let number)): createdAt = number
            case (Tag.state, .number(let number)):
                guard let found = StateCode.state(number) else { throw .init(detail: "state \(number)") }
                state = found
            case (Tag.isInDoubt, .number(let number)): isInDoubt = number != 0
            case (Tag.lane, .bytes(let bytes)): lane = LaneID(rawValue: String(decoding: bytes, as: UTF8.self))
            case (Tag.laneSequence, .number(let number)): laneSequence = number
            case (Tag.previousSequence, .number(let number)): previousSequence = number
            case (Tag.queuedAt, .number(let number)): queuedAt = number
            case (Tag.attempts, .number(let number)): attempts = Int(clamping: number)
            case (Tag.lastAttemptAt, .number(let number)): lastAttemptAt = number
            case (Tag.failure, .bytes(let bytes)): failure = bytes
            case (Tag.history, .bytes(let bytes)): history = bytes
            case (Tag.position, .number(let number)): position = number
            case (Tag.acceptedAt, .number(let number)): acceptedAt = number
            case (Tag.aggregates, .bytes(let bytes)): aggregates = bytes
            case (Tag.displayed, .bytes(let bytes)): displayed = bytes
            case (Tag.contentBytes, .number(let number)): contentBytes = Int(clamping: number)
            case (Tag.content, .bytes(let bytes)): content = bytes
            case (Tag.contentFile, .number(let number)): contentAt.file = number
            case (Tag.contentOffset, .number(let number)): contentAt.offset = number
            case (Tag.contentLength, .number(let number)): contentAt.length = number
            case (Tag.pausesLane, .number(let number)): pausesLane = number != 0
            case (Tag.upload, .bytes(let bytes)): upload = try StoredJSON.decode(AttachmentUpload.self, bytes)
            default: throw .init(detail: "unknown field \(tag)")
            }
        }
        guard hasID, account >= 0, contentBytes >= 0 else { throw .init(detail: "the item is incomplete") }
        if let file = contentAt.file, let offset = contentAt.offset, let length = contentAt.length {
            guard let file = UInt32(exactly: file), let length = UInt32(exactly: length),
                offset >= 0, length > Record.headerBytes
            else { throw .init(detail: "the place of the content is malformed") }
            self.contentAt = RecordLocation(file: file, offset: offset, length: length)
        }
    }

    var isOperation: Bool { payload > PayloadCode.reply }

    func channel() throws(FieldReader.Malformed) -> ChannelID {
        guard let channel = String(validating: channelText, as: UTF8.self).flatMap(ChannelID.init) else {
            throw FieldReader.Malformed(detail: "the channel is malformed")
        }
        return channel
    }

    /// The item, given its content.
    func item(_ contentBytes: ArraySlice<UInt8>) throws(FieldReader.Malformed) -> StoredItem {
        guard let sender,
            let content = ContentCoding.decode(Data(contentBytes)),
            let payload = PayloadCode.payload(payload, related, content)
        else { throw FieldReader.Malformed(detail: "the item cannot be decoded") }
        let channel = try channel()
        let created = created
        let delivery = try progress(created)
        guard case .create(_, let parent, _) = payload else {
            return .operation(
                QueuedOperation(
                    id: MessageID(id), channel: channel, sender: sender, payload: payload, createdAt: created,
                    ordinal: ordinal, delivery: delivery))
        }
        let sent = MessageBody(
            content: content,
            try aggregates.map { bytes throws(FieldReader.Malformed) in
                try StoredJSON.decode(StoredAggregates.self, bytes)
            })
        let shown = try displayed.map { bytes throws(FieldReader.Malformed) in
            try StoredJSON.decode(MessageBody.self, bytes)
        }
        let place = position.flatMap { position in
            acceptedAt.map { ServerPosition(position: position, acceptedAt: Timestamp(milliseconds: $0)) }
        }
        return .message(
            Message(
                id: MessageID(id), channel: channel, sender: sender, parent: parent, displayed: shown ?? sent,
                confirmed: shown == nil ? nil : sent, createdAt: created, ordinal: ordinal, serverPosition: place,
                delivery: delivery))
    }

    func progress(_ created: Timestamp) throws(FieldReader.Malformed) -> DeliveryProgress {
        DeliveryProgress(
            syncState: state,
            failure: try failure.map { bytes throws(FieldReader.Malformed) in
                try StoredJSON.decode(Failure.self, bytes)
            }, isInDoubt: isInDoubt, lane: lane, laneSequence: laneSequence, previousSequence: previousSequence,
            queuedAt: queuedAtOrCreated, attempts: attempts,
            lastAttemptAt: lastAttemptAt.map(Timestamp.init(milliseconds:)), history: try changes(),
            upload: upload)
    }

    var created: Timestamp { Timestamp(milliseconds: createdAt) }
    var accepted: Timestamp? { acceptedAt.map(Timestamp.init(milliseconds:)) }
    /// `nil` if it is malformed.
    var sender: UserID? { String(validating: senderText, as: UTF8.self).flatMap(UserID.init) }

    private var queuedAtOrCreated: Timestamp { Timestamp(milliseconds: queuedAt ?? createdAt) }

    private func changes() throws(FieldReader.Malformed) -> [StateChange] {
        guard let history else { return [] }
        var reader = FieldReader(history)
        var changes: [StateChange] = []
        while !reader.isAtEnd {
            guard let state = StateCode.state(try reader.signed()) else { throw .init(detail: "the history") }
            changes.append(StateChange(state: state, at: Timestamp(milliseconds: try reader.signed())))
        }
        return changes
    }

    /// The item as a link of its lane's chain; `nil` unless it is pending and has a lane sequence.
    var entry: OutboxEntry? {
        let isPending = state != .synced && state != .error
        guard isPending, state != .created || laneSequence != 0, let lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: laneSequence, ordinal: ordinal, previous: previousSequence,
            message: MessageID(id), attempts: attempts, bytes: contentBytes, queuedAt: queuedAtOrCreated,
            isOperation: isOperation, upload: upload)
    }
}
