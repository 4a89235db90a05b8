internal import CausewayHubRules
internal import CausewayModels
internal import CausewayWire
internal import HTTPTypes

/// A delivery that obeys the rules of the wire, with its contents encoded for storage: everything that can be checked
/// before the transaction.
struct ValidatedDelivery: Sendable {
    /// A new message.
    struct Send: Sendable {
        /// The file that it is attached to.
        struct File: Sendable {
            let blob: BlobName
            /// Bytes.
            let size: Int64
        }

        let channel: ChannelID
        let type: MessageType
        /// JSON.
        let content: String
        let createdAt: Timestamp
        let parent: MessageID?
        let tags: [String]
        var file: File?
    }

    struct Operation: Sendable {
        enum Body: Sendable {
            case send(Send)
            case edit(MessageID, type: MessageType, content: String, file: Send.File?)
            case react(MessageID, name: String, isAdded: Bool)
            case write(RecordWrite)
            /// An operation that can never be accepted.
            case unacceptable(code: String, detail: String)
            case fence
            case delete
        }

        let sequence: Int64
        let previous: Int64
        let id: MessageID
        let body: Body

        /// True for an operation that is refused if it was deleted before it arrived: an edit, a reaction, a write.
        var isBarredByDeletion: Bool {
            switch body {
            case .edit, .react, .write: true
            case .send, .unacceptable, .fence, .delete: false
            }
        }
    }

    let outbox: OutboxID
    let claim: LineageRules.Claim
    let lane: LaneID
    /// Whether the client has sent the delivery before it as well, without waiting for the response.
    let isPipelined: Bool
    let operations: [Operation]
    /// The history that the request names.
    var history = HistoryClaim.none

    var epoch: Int64 { claim.epoch }

    /// - Throws: a 400 or 413 for a body that no client of this protocol sends. An unacceptable message is not such an
    ///   error: it is refused alone, and the operations after it are processed.
    init(_ delivery: WireDelivery) throws {
        outbox = delivery.outbox
        claim = LineageRules.Claim(
            epoch: delivery.epoch, opening: delivery.opening, ancestors: delivery.ancestors ?? [],
            base: delivery.base ?? 0)
        lane = delivery.lane
        isPipelined = delivery.pipelined ?? false
        guard (0...Limits.sequenceMax).contains(claim.epoch) else {
            throw Self.broken("epoch: must be at least 0 and at most \(Limits.sequenceMax)")
        }
        guard (0...Limits.sequenceMax).contains(claim.base) else {
            throw Self.broken("base: must be at least 0 and at most \(Limits.sequenceMax)")
        }
        guard claim.ancestors.count <= Limits.openingsKeptMax else {
            throw Self.broken("ancestors: more than \(Limits.openingsKeptMax)")
        }
        guard (1...HubLimits.laneBytesMax).contains(lane.rawValue.utf8.count),
            lane.rawValue.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw Self.broken("lane: must have 1 to \(HubLimits.laneBytesMax) bytes, no control characters") }
        guard delivery.operations.count <= HubLimits.deliveryOperationsMax else {
            throw HubHTTPError(
                .contentTooLarge, code: "tooManyOperations",
                detail: "the delivery has \(delivery.operations.count) operations; "
                    + "the hub accepts at most \(HubLimits.deliveryOperationsMax) at once")
        }
        var last: Int64 = 0
        for (index, operation) in delivery.operations.enumerated() {
            let place = "operations[\(index)]"
            guard (1...Limits.sequenceMax).contains(operation.sequence) else {
                throw Self.broken("\(place).sequence: must be above 0 and at most \(Limits.sequenceMax)")
            }
            guard (0..<operation.sequence).contains(operation.previous) else {
                throw Self.broken("\(place).previous: must be at least 0 and below the sequence")
            }
            guard operation.sequence > last else {
                throw Self.broken("\(place).sequence: must be above the one before it")
            }
            last = operation.sequence
        }
        operations = delivery.operations.map { operation in
            Operation(
                sequence: operation.sequence, previous: operation.previous, id: operation.id,
                body: Self.body(operation))
        }
    }

    private static func body(_ operation: WireOperation) -> Operation.Body {
        switch operation.kind {
        case .fence: return .fence
        case .delete: return .delete
        case .send:
            guard let channel = operation.channel, let content = operation.content, let createdAt = operation.createdAt
            else {
                return .unacceptable(
                    code: "contentInvalid", detail: "a message needs a channel, a content and a createdAt")
            }
            let tags: [String]
            do throws(ContentProblem) {
                tags = try MessageTags.validated(operation.tags ?? [])
            } catch {
                return .unacceptable(code: code(of: error), detail: "\(error)")
            }
            return checked(content) {
                .send(
                    Send(
                        channel: channel, type: content.type, content: $0, createdAt: createdAt,
                        parent: operation.parent, tags: tags, file: file(of: content)))
            }
        case .edit:
            guard let target = operation.target, let content = operation.content else {
                return .unacceptable(code: "contentInvalid", detail: "an edit needs a target and a content")
            }
            return checked(content) { .edit(target, type: content.type, content: $0, file: file(of: content)) }
        case .addReaction, .removeReaction:
            guard let target = operation.target, let name = operation.reaction, MessageContent.isReactionName(name)
            else {
                return .unacceptable(
                    code: "reactionInvalid",
                    detail: "a reaction needs a target and a name of 1 to \(Limits.reactionBytesMax) bytes")
            }
            return .react(target, name: name, isAdded: operation.kind == .addReaction)
        case .write:
            guard let record = operation.record?.write else {
                return .unacceptable(code: "argumentsInvalid", detail: "a write needs a record")
            }
            return checked(record)
        }
    }

    private static func checked(_ write: RecordWrite) -> Operation.Body {
        guard (1...Limits.recordIDBytesMax).contains(write.record.utf8.count) else {
            return .unacceptable(
                code: "idInvalid", detail: "the id of a record must have 1 to \(Limits.recordIDBytesMax) bytes")
        }
        guard let text = JSONWriter.text(of: write.arguments), text.count <= Limits.recordBytesMax else {
            return .unacceptable(
                code: "argumentsInvalid",
                detail: "the arguments of a write must have at most \(Limits.recordBytesMax) bytes, and valid numbers")
        }
        return .write(write)
    }

    private static func file(of content: MessageContent) -> Send.File? {
        content.attachment.flatMap { attachment in
            BlobName(attachment.sha256).map { Send.File(blob: $0, size: attachment.size) }
        }
    }

    /// The body with its content encoded for storage; unacceptable when the content is.
    private static func checked(_ content: MessageContent, _ body: (String) -> Operation.Body) -> Operation.Body {
        guard let coded = content.jsonText else {
            return .unacceptable(code: "contentInvalid", detail: "the content contains an invalid number")
        }
        do {
            // The size of a file was checked when it was uploaded.
            try content.validate(codedBytes: coded.count, within: ContentLimits(fileBytesMax: Limits.fileBytesMax))
        } catch {
            return .unacceptable(code: code(of: error), detail: "\(error)")
        }
        return body(String(decoding: coded, as: UTF8.self))
    }

    private static func code(of problem: ContentProblem) -> String {
        switch problem {
        case .textTooLong, .customTooLong, .customTooDeep, .captionTooLong, .fileTooLarge, .previewTooLong,
            .tooManyTags:
            "tooLarge"
        case .textEmpty, .customNotAnObject, .customNotEncodable, .reactionInvalid, .attachmentInvalid,
            .contentTypeDiffers, .tagInvalid:
            "contentInvalid"
        case .unsupported: "typeUnsupported"
        }
    }

    private static func broken(_ detail: String) -> HubHTTPError {
        HubHTTPError(.badRequest, code: "deliveryInvalid", detail: "the delivery violates the protocol at \(detail)")
    }
}
