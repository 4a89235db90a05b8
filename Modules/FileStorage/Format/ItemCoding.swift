import CausewayModels
import CausewayStorage
import Foundation

/// The fields of a message or an operation in its record.
///
/// Content above ``FileLimits/repeatedContentBytesMax`` is written once: later states of the item name the record that
/// contains it (`contentAt`).
enum ItemCoding {
    enum Tag {
        static let account: UInt8 = 1
        static let id: UInt8 = 2
        static let ordinal: UInt8 = 3
        static let payload: UInt8 = 4
        static let channel: UInt8 = 5
        static let sender: UInt8 = 6
        static let related: UInt8 = 7
        static let createdAt: UInt8 = 8
        static let state: UInt8 = 9
        static let isInDoubt: UInt8 = 10
        static let lane: UInt8 = 11
        static let laneSequence: UInt8 = 12
        static let previousSequence: UInt8 = 13
        static let queuedAt: UInt8 = 14
        static let attempts: UInt8 = 15
        static let lastAttemptAt: UInt8 = 16
        static let failure: UInt8 = 17
        static let history: UInt8 = 18
        static let position: UInt8 = 19
        static let acceptedAt: UInt8 = 20
        static let aggregates: UInt8 = 21
        static let displayed: UInt8 = 22
        static let contentBytes: UInt8 = 23
        static let content: UInt8 = 24
        static let contentFile: UInt8 = 25
        static let contentOffset: UInt8 = 26
        static let contentLength: UInt8 = 27
        static let pausesLane: UInt8 = 28
        static let upload: UInt8 = 29
    }

    /// The content of an item as its record holds it.
    enum Content {
        case inline(Data)
        /// The record that contains it.
        case at(RecordLocation)
    }

    /// The parts of an item that are JSON, coded before anything is written, because coding can fail.
    struct CodedParts {
        var failure: [UInt8]?
        var aggregates: [UInt8]?
        var displayed: [UInt8]?
        var upload: [UInt8]?

        init(_ item: StoredItem) throws(StoreError) {
            failure = try item.failure.map(StoredJSON.encode)
            upload = try item.upload.map(StoredJSON.encode)
            guard let message = item.message else { return }
            aggregates = try StoredAggregates(message.confirmed ?? message.displayed).map(StoredJSON.encode)
            displayed = message.confirmed == nil ? nil : try StoredJSON.encode(message.displayed)
        }
    }

    static func write(
        _ item: StoredItem, _ account: Int, _ parts: CodedParts, _ content: Content, contentBytes: Int,
        to bytes: inout [UInt8]
    ) {
        bytes.append(Tag.account, Int64(account))
        bytes.append(Tag.id, item.id.value)
        bytes.append(Tag.ordinal, item.ordinal)
        bytes.append(Tag.payload, PayloadCode.code(item.asOperation.payload))
        bytes.append(Tag.channel, text: item.channel.value)
        bytes.append(Tag.sender, text: item.sender.value)
        if let related = item.related { bytes.append(Tag.related, related.value) }
        bytes.append(Tag.createdAt, item.createdAt.milliseconds)
        write(item.delivery, parts, createdAt: item.createdAt, to: &bytes)
        if item.createsMessage, case .message(let message) = item {
            if let position = message.serverPosition {
                bytes.append(Tag.position, position.position)
                bytes.append(Tag.acceptedAt, position.acceptedAt.milliseconds)
            }
            if let aggregates = parts.aggregates { bytes.append(Tag.aggregates, bytes: aggregates) }
            if let displayed = parts.displayed { bytes.append(Tag.displayed, bytes: displayed) }
        }
        bytes.append(Tag.contentBytes, Int64(contentBytes))
        switch content {
        case .inline(let content): bytes.append(Tag.content, bytes: content)
        case .at(let location):
            bytes.append(Tag.contentFile, Int64(location.file))
            bytes.append(Tag.contentOffset, location.offset)
            bytes.append(Tag.contentLength, Int64(location.length))
        }
    }

    private static func write(
        _ delivery: DeliveryProgress, _ parts: CodedParts, createdAt: Timestamp, to bytes: inout [UInt8]
    ) {
        bytes.append(Tag.state, StateCode.code(delivery.syncState))
        if delivery.isInDoubt { bytes.append(Tag.isInDoubt, 1) }
        if let lane = delivery.lane { bytes.append(Tag.lane, text: lane.rawValue) }
        bytes.append(Tag.laneSequence, delivery.laneSequence)
        bytes.append(Tag.previousSequence, delivery.previousSequence)
        if delivery.queuedAt != createdAt { bytes.append(Tag.queuedAt, delivery.queuedAt.milliseconds) }
        if delivery.attempts != 0 { bytes.append(Tag.attempts, Int64(delivery.attempts)) }
        bytes.append(Tag.lastAttemptAt, delivery.lastAttemptAt?.milliseconds)
        if let failure = parts.failure { bytes.append(Tag.failure, bytes: failure) }
        if delivery.failure?.pausesLane == true { bytes.append(Tag.pausesLane, 1) }
        if let upload = parts.upload { bytes.append(Tag.upload, bytes: upload) }
        if !delivery.history.isEmpty {
            var history: [UInt8] = []
            for change in delivery.history {
                history.append(signed: StateCode.code(change.state))
                history.append(signed: change.at.milliseconds)
            }
            bytes.append(Tag.history, bytes: history)
        }
    }
}

/// The JSON values of the layer above.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws(StoreError) -> [UInt8] {
        do {
            return try JSONCoding.encode(value)
        } catch {
            throw .other(detail: "a value has no JSON form: \(error)")
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: ArraySlice<UInt8>
    ) throws(FieldReader.Malformed) -> Value {
        do {
            return try JSONCoding.decode(type, from: Array(bytes))
        } catch {
            throw FieldReader.Malformed(detail: "\(type) cannot be decoded")
        }
    }
}
