package import Causeway
package import Foundation

/// A position in a channel's list.
private struct Place: Comparable {
    var cursor: MessageCursor

    init(_ cursor: MessageCursor) { self.cursor = cursor }

    static func < (left: Place, right: Place) -> Bool {
        (left.cursor.position, left.cursor.ordinal) < (right.cursor.position, right.cursor.ordinal)
    }
}

extension Message {
    fileprivate var place: Place { Place(cursor) }
}

extension NotebookRows {
    /// All items that fulfil a condition, in the order of their arrival.
    private func items(where isIncluded: (StoredItem) -> Bool) -> [ItemRow] {
        contents.section.items.values.filter { isIncluded($0.item) }.sorted { $0.item.ordinal < $1.item.ordinal }
    }

    package func item(_ id: OperationID) -> ItemRow? { contents.section.items[id] }

    package mutating func insert(_ item: StoredItem, content: Data) {
        contents.section.items[item.id] = ItemRow(item: item, bytes: content.count)
    }

    package mutating func update(_ old: ItemRow, to item: StoredItem, content: Data?) throws(StoreError) -> Int {
        var bytes = old.bytes
        if let content {
            bytes = content.count
        } else if item.sentContent != old.item.sentContent {
            bytes = try item.codedContent().count
        }
        contents.section.items[item.id] = ItemRow(item: item, bytes: bytes)
        return bytes
    }

    package mutating func remove(_ old: ItemRow) { contents.section.items[old.item.id] = nil }

    package func operations(on id: MessageID) -> [QueuedOperation] {
        items { $0.target == id }.compactMap(\.item.operation)
    }

    package func parked(for id: MessageID) -> [ItemRow] { items { $0.isParked && $0.related == id } }

    package func mayBeReferenced(_ id: MessageID) -> Bool {
        contents.section.items.values.contains { $0.item.reference == id }
    }

    package func pendingItem(at sequence: Int64) -> ItemRow? {
        contents.section.items.values.first {
            $0.item.isPending && !$0.item.isParked && $0.item.laneSequence == sequence
        }
    }

    package func page(of part: ItemPart, after key: Int64) -> [ItemRow] {
        let found = items { item in
            guard part.key(of: item) > key else { return false }
            return switch part {
            case .pending: item.isPending
            case .failed: item.syncState == .error
            case .pausing: item.pause != nil
            case .synced: item.syncState == .synced
            case .underWay(let state): item.syncState == state && !item.isParked
            }
        }
        return found.sorted { part.key(of: $0.item) < part.key(of: $1.item) }
    }

    // MARK: Lists

    package func messages(_ query: MessageQuery, limit: Int) -> [Message] {
        let messages = contents.section.items.values.compactMap(\.message).filter { message in
            switch query.scope {
            case .channel(let channel): message.channel == channel
            case .undelivered: message.isUndelivered
            case .undeliveredIn(let channel): message.isUndelivered && message.channel == channel
            case .failed(let channel): message.syncState == .error && (channel ?? message.channel) == message.channel
            }
        }
        // Only the list of a channel is ordered by positions.
        guard case .channel = query.scope else {
            return Self.part(of: messages, query.direction, after: query.after?.ordinal, limit, by: \.ordinal)
        }
        return Self.part(of: messages, query.direction, after: query.after.map(Place.init), limit, by: \.place)
    }

    package func operations(_ query: OperationQuery, limit: Int) -> [QueuedOperation] {
        let operations = contents.section.items.values.compactMap(\.item.queued).filter { operation in
            switch query.scope {
            case .undelivered(let channel): (channel ?? operation.channel) == operation.channel
            case .failed(let channel):
                operation.syncState == .error && (channel ?? operation.channel) == operation.channel
            case .pending(let state): operation.isPending && operation.syncState == state && !operation.isParked
            }
        }
        return Self.part(of: operations, query.direction, after: query.after?.ordinal, limit) {
            query.cursor(of: $0).ordinal
        }
    }

    /// The first elements behind a key, in a direction.
    static func part<Element, Key: Comparable>(
        of elements: some Sequence<Element>, _ direction: MessageQuery.Direction, after start: Key?, _ limit: Int,
        by key: (Element) -> Key
    ) -> [Element] {
        let rest = elements.filter { element in
            guard let start else { return true }
            return direction == .ascending ? key(element) > start : key(element) < start
        }
        let sorted = rest.sorted { direction == .ascending ? key($0) < key($1) : key($0) > key($1) }
        return Array(sorted.prefix(limit))
    }

    package func counts() -> StoreCounts {
        var counts = StoreCounts()
        for row in contents.section.items.values {
            counts.count(row.item.syncState, createsMessage: row.item.createsMessage, bytes: row.bytes)
        }
        // Items that wait for a failed message, directly or behind others that wait.
        var open = items { $0.syncState == .error }.map(\.item.id)
        while let next = open.popLast() {
            let blocked = parked(for: next)
            counts.blocked += blocked.count
            open += blocked.map(\.item.id)
        }
        return counts
    }

    package func nextChannel(after channel: ChannelID?, keeping count: Int) -> RetainedPart? {
        let messages = contents.section.items.values.compactMap(\.message)
        let channels = messages.map(\.channel).filter { $0.value > channel?.value ?? "" }
        guard let next = channels.min(by: { $0.value < $1.value }) else { return nil }
        let newestFirst = messages.filter { $0.channel == next }.compactMap(\.serverPosition?.position).sorted(by: >)
        return RetainedPart(channel: next, start: newestFirst.count < count ? nil : newestFirst[count - 1])
    }
}
