import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lines of messages and operations.
extension EntryLine {
    /// The line of type `message` or `operation`.
    struct ItemLine: Codable {
        static let messageType = "message"
        static let operationType = "operation"
        /// Far more than a client counts; further ones are added to it.
        private static let attemptsMax = Int(Int32.max)

        var type: String
        var id: MessageID
        var channel: ChannelID
        var sender: UserID
        var createdAt: Timestamp
        var ordinal: Int64
        /// The content that is, or was, sent to the server.
        var content: MessageContent
        /// The message that a reply belongs to, or that an operation changes.
        var related: MessageID?
        /// `edit`, `addReaction` or `removeReaction`; absent for a message.
        var change: String?
        /// The edits and reactions that the server has confirmed.
        var confirmed: StoredAggregates?
        /// The body with pending operations applied; absent if none is pending.
        var displayed: MessageBody?
        var position: ServerPosition?
        var delivery: Delivery

        /// The progress of a delivery.
        struct Delivery: Codable {
            var state: SyncState
            var failure: Failure?
            var inDoubt: Bool
            var lane: String?
            var laneSequence: Int64
            var previousSequence: Int64?
            var queuedAt: Timestamp
            var attempts: Int
            var lastAttemptAt: Timestamp?
            var history: [Change]
            var upload: AttachmentUpload?
        }

        struct Change: Codable {
            var state: SyncState
            var at: Timestamp
        }

        init(_ item: StoredItem) {
            type = item.createsMessage ? Self.messageType : Self.operationType
            id = item.id
            channel = item.channel
            sender = item.sender
            createdAt = item.createdAt
            ordinal = item.ordinal
            content = item.sentContent
            related = item.related
            let progress = item.delivery
            delivery = Delivery(
                state: progress.syncState, failure: progress.failure, inDoubt: progress.isInDoubt,
                lane: progress.lane?.rawValue, laneSequence: progress.laneSequence,
                previousSequence: progress.previousSequence, queuedAt: progress.queuedAt, attempts: progress.attempts,
                lastAttemptAt: progress.lastAttemptAt,
                history: progress.history.map { Change(state: $0.state, at: $0.at) }, upload: progress.upload)
            switch item {
            case .message(let message):
                position = message.serverPosition
                confirmed = StoredAggregates(message.confirmed ?? message.displayed)
                displayed = message.confirmed == nil ? nil : message.displayed
            case .operation(let operation): change = operation.payload.name
            }
        }

        func item() throws -> StoredItem {
            guard (0...Limits.sequenceMax).contains(ordinal), (0...Limits.sequenceMax).contains(delivery.laneSequence),
                (0...Limits.sequenceMax).contains(delivery.previousSequence ?? 0),
                (0...Self.attemptsMax).contains(delivery.attempts),
                (0...Self.attemptsMax).contains(delivery.upload?.attempts ?? 0)
            else { throw EntryLine.Malformed(description: "its numbers are out of range") }
            let progress = DeliveryProgress(
                syncState: delivery.state, failure: delivery.failure, isInDoubt: delivery.inDoubt,
                lane: delivery.lane.map(LaneID.init(rawValue:)), laneSequence: delivery.laneSequence,
                previousSequence: delivery.previousSequence, queuedAt: delivery.queuedAt, attempts: delivery.attempts,
                lastAttemptAt: delivery.lastAttemptAt,
                history: delivery.history.suffix(Limits.historyKeptMax).map { StateChange(state: $0.state, at: $0.at) },
                upload: delivery.upload)
            if type == Self.operationType {
                return .operation(
                    QueuedOperation(
                        id: id, channel: channel, sender: sender, payload: try payload(), createdAt: createdAt,
                        ordinal: ordinal, delivery: progress))
            }
            guard (delivery.state == .synced) == (position != nil) else {
                throw EntryLine.Malformed(description: "its `position` contradicts its state")
            }
            let sent = MessageBody(content: content.normalized, confirmed)
            return .message(
                Message(
                    id: id, channel: channel, sender: sender, parent: related, displayed: displayed ?? sent,
                    confirmed: displayed == nil ? nil : sent, createdAt: createdAt, ordinal: ordinal,
                    serverPosition: position, delivery: progress))
        }

        private func payload() throws -> OperationPayload {
            switch (change, related, content) {
            case ("edit", let target?, _): return .edit(target, content.normalized)
            case ("addReaction", let target?, .text(let name)): return .addReaction(target, name: name)
            case ("removeReaction", let target?, .text(let name)): return .removeReaction(target, name: name)
            default: throw EntryLine.Malformed(description: "its `change` is unknown or incomplete")
            }
        }
    }
}
