import CausewayModels
import CausewayStorage

extension ReferenceModel {
    /// Compares the result of every query with the expected one.
    func check(_ store: any Store, ids: [MessageID], pageLimit: Int) async throws {
        try await checkMessages(store, ids)
        for query in queries(limit: pageLimit) {
            let expected = expectedMessages(query)
            try requireEqual(try await store.allPages(query), expected, "all pages of \(query)")
        }
        for query in operationQueries(limit: pageLimit) {
            let expected = expectedOperations(query)
            try requireEqual(try await store.allPages(query), expected, "all pages of \(query)")
        }
        try await checkOutbox(store)
        try await checkDeleted(store, pageLimit: pageLimit)
        try requireEqual(try await store.session(), session, "the session")
        let actions = try await store.deleteActions(before: nil, limit: Limits.pageSizeMax)
        try requireEqual(actions, deletions.reversed(), "past deletions")
    }

    func checkMessages(_ store: any Store, _ ids: [MessageID]) async throws {
        for id in ids {
            try requireEqual(try await store.message(id), messages[id], "message \(id)")
            try requireEqual(try await store.operation(id), items[id]?.queued, "operation \(id)")
        }
        try requireEqual(
            try await store.messages(ids), ids.compactMap { messages[$0] }, "messages by id")
        try requireEqual(
            try await store.operations(ids), ids.compactMap { items[$0]?.queued }, "operations by id")
        for id in ids {
            let dependants = items.values.filter { $0.related == id && isDependant($0) }.compactMap(
                \.queued)
            try requireEqual(
                try await store.dependants(of: id), dependants.sorted { $0.ordinal < $1.ordinal }, "dependants of \(id)"
            )
        }
    }

    func checkOutbox(_ store: any Store) async throws {
        try requireEqual(try await store.counts(), try counts(), "the counts")
        var found = try await store.outbox()
        try checkLineage(found.lineage)
        found.lineage = Lineage()
        try requireEqual(found, try snapshot(), "the outbox")
    }

    /// True for an operation, or a reply that waits without a lane sequence.
    private func isDependant(_ message: ReferenceItem) -> Bool {
        message.isOperation || message.syncState == .created && message.laneSequence == 0
    }

    private func queries(limit: Int) -> [MessageQuery] {
        let scopes: [MessageQuery.Scope] =
            Sample.channels.flatMap { [.channel($0), .undeliveredIn($0), .failed(in: $0)] }
            + [.undelivered, .failed(in: nil)]
        return scopes.flatMap { scope in
            [.ascending, .descending].map { MessageQuery(scope: scope, direction: $0, limit: limit) }
        }
    }

    private func operationQueries(limit: Int) -> [OperationQuery] {
        let scopes: [OperationQuery.Scope] =
            ([nil] + Sample.channels.map(Optional.some)).flatMap {
                [.undelivered(in: $0), .failed(in: $0)]
            }
            + SyncState.allCases.map { .pending($0) }
        return scopes.flatMap { scope in
            [.ascending, .descending].map { OperationQuery(scope: scope, direction: $0, limit: limit) }
        }
    }

    private func expectedOperations(_ query: OperationQuery) -> [QueuedOperation] {
        let all = items.values.compactMap(\.queued)
        let found: [QueuedOperation]
        switch query.scope {
        case .undelivered(let channel):
            found = all.filter { (channel ?? $0.channel) == $0.channel }.sorted {
                $0.ordinal < $1.ordinal
            }
        case .pending(let state):
            found = all.filter { $0.syncState == state && $0.isPending && !$0.isParked }
                .sorted { $0.laneSequence < $1.laneSequence }
        case .failed(let channel):
            found = all.filter { $0.syncState == .error && (channel ?? $0.channel) == $0.channel }
                .sorted { $0.ordinal < $1.ordinal }
        }
        return query.direction == .ascending ? found : found.reversed()
    }

    /// The messages alone.
    var messages: [MessageID: Message] {
        items.compactMapValues { $0.isOperation ? nil : $0.message }
    }

    /// The operations that create no message.
    var changes: [OperationID: QueuedOperation] {
        items.filter(\.value.isOperation).compactMapValues(\.queued)
    }

    private func expectedMessages(_ query: MessageQuery) -> [Message] {
        let found: [Message]
        switch query.scope {
        case .channel(let channel):
            found = messages.values.filter { $0.channel == channel }
                .sorted { ($0.cursor.position, $0.ordinal) < ($1.cursor.position, $1.ordinal) }
        case .undelivered:
            found = messages.values.filter { $0.syncState != .synced }.sorted { $0.ordinal < $1.ordinal }
        case .undeliveredIn(let channel):
            found = messages.values.filter { $0.syncState != .synced && $0.channel == channel }
                .sorted { $0.ordinal < $1.ordinal }
        case .failed(let channel):
            found = messages.values.filter { $0.syncState == .error && (channel ?? $0.channel) == $0.channel }
                .sorted { $0.ordinal < $1.ordinal }
        }
        return query.direction == .ascending ? found : found.reversed()
    }

    private func counts() throws -> StoreCounts {
        var counts = StoreCounts()
        for message in items.values where message.syncState != .synced {
            switch message.syncState {
            case .created: counts.created += 1
            case .uploading: counts.uploading += 1
            case .syncing: counts.syncing += 1
            default:
                counts.error += 1
                if !message.isOperation { counts.failedMessages += 1 }
            }
            counts.undeliveredBytes += try ContentCoding.encode(message.sentContent).count
            if isBlocked(message) { counts.blocked += 1 }
        }
        return counts
    }

    /// True if it waits without a lane sequence, directly or indirectly, for a message that failed.
    private func isBlocked(_ message: ReferenceItem) -> Bool {
        guard message.syncState == .created, message.laneSequence == 0, let related = message.related,
            let awaited = items[related]
        else { return false }
        return awaited.syncState == .error || isBlocked(awaited)
    }

    func snapshot() throws -> OutboxSnapshot {
        var entries = controls.map(\.entry)
        for message in items.values where message.syncState != .synced && message.syncState != .error {
            if message.syncState == .created, message.laneSequence == 0 { continue }
            guard let lane = message.lane else { continue }
            entries.append(
                OutboxEntry(
                    kind: .send, lane: lane, sequence: message.laneSequence, ordinal: message.ordinal,
                    previous: message.previousSequence, message: message.id, attempts: message.attempts,
                    bytes: try ContentCoding.encode(message.sentContent).count, queuedAt: message.queuedAt,
                    isOperation: message.isOperation, upload: message.upload))
        }
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: epoch, lastTransmitted: lastTransmitted,
            entries: entries.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) },
            pauses: pauses)
        snapshot.history = history
        snapshot.eventCursor = eventCursor
        return snapshot
    }

    private var pauses: [OutboxSnapshot.LanePause] {
        let pausing = items.values.filter { $0.syncState == .error && $0.failure?.pausesLane == true }
        return pausing.sorted { $0.ordinal < $1.ordinal }.compactMap { message in
            message.lane.map { OutboxSnapshot.LanePause(lane: $0, message: message.id) }
        }
    }
}

extension Store {
    /// Enqueues an operation of any kind, in a commit of its own.
    func enqueue(_ draft: OperationDraft) async throws(StoreError) {
        try await commit([.enqueue(draft)])
    }

    /// Reads all pages of a query.
    func allPages(_ query: OperationQuery) async throws -> [QueuedOperation] {
        var query = query
        var found: [QueuedOperation] = []
        while true {
            let page = try await operations(query)
            try require(
                page.operations.count <= query.limit,
                "a page of \(page.operations.count) for \(query.limit)")
            found += page.operations
            guard let next = page.next else { return found }
            try requireEqual(page.operations.count, query.limit, "the size of a page with a next one")
            try require(next != query.after, "a next page that begins where this one began")
            query.after = next
        }
    }

    /// Reads all pages of a query.
    func allPages(_ query: MessageQuery) async throws -> [Message] {
        var query = query
        var found: [Message] = []
        var announced: Message?
        while true {
            let page = try await page(query)
            try require(page.messages.count <= query.limit, "a page of \(page.messages.count) for \(query.limit)")
            if let announced { try requireEqual(page.messages.first, announced, "what the page before said follows") }
            announced = page.following
            try requireEqual(page.following == nil, page.next == nil, "nothing follows the last page alone")
            found += page.messages
            guard let next = page.next else { return found }
            try requireEqual(page.messages.count, query.limit, "the size of a page with a next one")
            try require(next != query.after, "a next page that begins where this one began")
            query.after = next
        }
    }
}
