import CausewayModels
import CausewayStorage

/// Items whose record cannot be read, or is another item's. Such an item blocks nothing: it is shown as far as the
/// index and the remains of the record tell, with a failure that describes the damage, and can be listed, failed and
/// deleted like any other.
extension ItemRow {
    /// - Parameter remains: the fields of the damaged record, as far as they agree with the index.
    init(standingInFor entry: ItemTable.Entry, in channel: ChannelID, _ remains: ItemFields?) {
        let id = MessageID(entry.id)
        let createdAt = remains?.created ?? Timestamp(milliseconds: Int64(entry.id.high >> 16))
        var delivery =
            (try? remains?.progress(createdAt)) ?? DeliveryProgress(lane: nil, laneSequence: 0, queuedAt: createdAt)
        delivery.syncState = entry.state
        delivery.laneSequence = entry.state == .synced ? delivery.laneSequence : entry.key
        delivery.failure = Self.failure(in: entry.state, delivery.failure, .unreadable(at: createdAt))
        let sender = remains?.sender ?? Self.unreadableSender
        if entry.isOperation {
            let target = remains?.related ?? id
            let operation = QueuedOperation(
                id: id, channel: channel, sender: sender, payload: .edit(target, .unreadable), createdAt: createdAt,
                ordinal: entry.ordinal, delivery: delivery)
            self.init(item: .operation(operation), bytes: Int(entry.bytes))
            return
        }
        let position = ServerPosition(position: entry.key, acceptedAt: remains?.accepted ?? createdAt)
        let message = Message(
            id: id, channel: channel, sender: sender, parent: remains?.related,
            displayed: MessageBody(content: .unreadable), createdAt: createdAt, ordinal: entry.ordinal,
            serverPosition: entry.state == .synced && entry.key != .max ? position : nil, delivery: delivery)
        self.init(item: .message(message), bytes: Int(entry.bytes))
    }

    /// A message that the server has can be fetched again; one that waits can only be failed.
    private static func failure(in state: SyncState, _ stored: Failure?, _ unreadable: Failure) -> Failure? {
        switch state {
        case .synced: nil
        case .error: stored ?? unreadable
        case .created, .uploading, .syncing: unreadable
        }
    }

    private static let unreadableSender: UserID = {
        guard let user = UserID("unreadable") else { preconditionFailure("it is a name") }
        return user
    }()
}

extension MessageContent {
    static let unreadable = MessageContent.unknown(type: "unreadable", body: .null)
}

extension RecordReader {
    /// An item with its content, or what stands in for it if its record is damaged.
    ///
    /// - Throws: errors of the disk.
    func row(
        of entry: ItemTable.Entry, in channel: @autoclosure () -> ChannelID
    ) throws(StoreError) -> FileRow {
        do throws(StoreError) {
            let found = try row(at: entry.location)
            if found.row.item.id.value == entry.id { return found }
        } catch {
            guard case .damaged = error else { throw error }
        }
        return standIn(for: entry, in: channel())
    }

    func standIn(for entry: ItemTable.Entry, in channel: ChannelID) -> FileRow {
        FileRow(
            row: ItemRow(standingInFor: entry, in: channel, remains(of: entry)), content: entry.location)
    }

    /// The fields of an item; of a damaged record its remains, `nil` if there are none.
    ///
    /// - Throws: errors of the disk.
    func fields(of entry: ItemTable.Entry) throws(StoreError) -> ItemFields? {
        do throws(StoreError) {
            let found = try fields(at: entry.location)
            if found.id == entry.id { return found }
        } catch {
            guard case .damaged = error else { throw error }
        }
        return remains(of: entry)
    }

    /// The fields of a record whose checksum may not match; `nil` unless they agree with the index.
    private func remains(of entry: ItemTable.Entry) -> ItemFields? {
        guard let reader = unverified(at: entry.location), let fields = try? ItemFields(reader),
            fields.id == entry.id, fields.ordinal == entry.ordinal, fields.state == entry.state,
            fields.isOperation == entry.isOperation,
            entry.state == .synced || fields.laneSequence == entry.key
        else { return nil }
        return fields
    }
}
