import CausewayModels
import CausewayTransport

extension TransportConformance {
    private static func source(_ transport: any Transport) throws -> any EventSource {
        guard let source = transport.events else { throw ConformanceFailure("the transport has no events") }
        return source
    }

    private static func end(_ transport: any Transport) async throws -> EventCursor {
        try await source(transport).currentCursor(knowing: nil).cursor
    }

    /// Reads until everything is known, and checks each batch.
    private static func read(
        from cursor: EventCursor, over transport: any Transport
    ) async throws -> (events: [RemoteEvent], cursor: EventCursor) {
        let stream = try await source(transport).open(from: cursor, knowing: nil)
        var events: [RemoteEvent] = []
        while true {
            guard case .batch(let batch) = try await stream.next(knowing: nil) else {
                throw ConformanceFailure("a valid cursor leads to a reset")
            }
            let names = batch.events.map { "\($0.topic) \($0.record)" }
            try requireEqual(Set(names).count, names.count, "the number of records in a batch")
            for event in batch.events {
                let earlier = events.last { $0.record == event.record && $0.topic == event.topic }
                try require(earlier.map { $0.version < event.version } ?? true, "a version that does not grow")
            }
            events += batch.events
            guard !batch.isUpToDate else {
                await stream.close()
                return (events, batch.cursor)
            }
        }
    }

    private static func send(
        _ ids: [MessageID], _ trial: Trial, over transport: any Transport, from first: Int64 = 1
    ) async throws -> [Int64] {
        try await trial.deliver(trial.chain(ids.map { trial.send($0) }, from: first), over: transport).positions
    }

    private static func delete(
        _ id: MessageID, after sequence: Int64, _ trial: Trial, over transport: any Transport
    ) async throws {
        let outcomes = try await trial.deliver(trial.chain([.delete(id)], from: sequence + 1), over: transport)
        try requireEqual(outcomes, [.deleted], "the outcome of the deletion")
    }

    static let eventRules: [Rule] = [
        Rule("events after a cursor are the messages since, each once, in order", needsEvents: true) { trial in
            try await trial.with { transport in
                let ids = trial.messages(6)
                _ = try await send(Array(ids[..<2]), trial, over: transport)
                let cursor = try await end(transport)
                let positions = try await send(Array(ids[2...]), trial, over: transport, from: 3)
                for _ in 0..<2 {
                    let (events, _) = try await read(from: cursor, over: transport)
                    let found = events.compactMap(\.message).filter { ids.contains($0.id) }
                    try requireEqual(found.map(\.id), Array(ids[2...]), "the messages")
                    try requireEqual(found.map(\.serverPosition.position), positions, "their positions")
                    try requireEqual(
                        found.map(\.content), ids[2...].map { .text("text of \($0)") }, "their contents")
                    for event in events where event.message != nil {
                        try requireEqual(event.topic, .channel(trial.server.channel), "the topic")
                    }
                }
            }
        },
        Rule("a cursor covers everything up to it", needsEvents: true) { trial in
            try await trial.with { transport in
                let ids = trial.messages(3)
                let cursor = try await end(transport)
                _ = try await send(Array(ids[..<2]), trial, over: transport)
                let (first, next) = try await read(from: cursor, over: transport)
                try requireEqual(first.compactMap(\.message?.id), Array(ids[..<2]), "the first messages")
                _ = try await send([ids[2]], trial, over: transport, from: 3)
                let (second, _) = try await read(from: next, over: transport)
                try requireEqual(second.compactMap(\.message?.id), [ids[2]], "the messages after it")
            }
        },
        Rule("a deletion is an event, and the only one of its message", needsEvents: true) { trial in
            try await trial.with { transport in
                let ids = trial.messages(2)
                let before = try await end(transport)
                _ = try await send(ids, trial, over: transport)
                let between = try await end(transport)
                try await delete(ids[0], after: 2, trial, over: transport)
                for cursor in [before, between] {
                    let (events, _) = try await read(from: cursor, over: transport)
                    let changes = events.map(\.change).filter { $0.messageID == ids[0] }
                    try requireEqual(changes, [.messageDeleted(ids[0])], "the events of a deleted message")
                }
            }
        },
        Rule("a stream waits for what is new", needsEvents: true) { trial in
            try await trial.with { transport in
                let id = trial.messages(1)[0]
                let stream = try await source(transport).open(from: try await end(transport), knowing: nil)
                guard case .batch(let first) = try await stream.next(knowing: nil) else {
                    throw ConformanceFailure("a valid cursor leads to a reset")
                }
                try require(first.isUpToDate && first.events.isEmpty, "the first part at the end of the log has events")
                let call = BoundedCall(trial) { () throws(TransportError) in
                    while true {
                        guard case .batch(let batch) = try await stream.next(knowing: nil) else { return }
                        // Success is no error, and errors are what a bounded call returns.
                        if batch.events.contains(where: { $0.message?.id == id }) {
                            throw .refused(code: "found", detail: "")
                        }
                    }
                }
                _ = try await send([id], trial, over: transport)
                try requireEqual(try await call.error(), .refused(code: "found", detail: ""), "the end of the wait")
                await stream.close()
            }
        },
        Rule("a cursor of another log leads to a reset", needsEvents: true) { trial in
            try await trial.with { transport in
                guard let foreign = EventCursor(rawValue: "another-log.7") else { return }
                let part: EventPart
                let source = try source(transport)
                do throws(TransportError) {
                    part = try await source.open(from: foreign, knowing: nil).next(knowing: nil)
                } catch .refused(EventCursor.invalidCode, _) {
                    return
                }
                guard case .reset(let start) = part else { throw ConformanceFailure("a foreign cursor is continued") }
                let (events, _) = try await read(from: start.cursor, over: transport)
                try requireEqual(events.count, 0, "the number of events since the reset")
            }
        },
        Rule("a cancelled wait for events ends", needsEvents: true) { trial in
            try await trial.with { transport in
                let stream = try await source(transport).open(from: try await end(transport), knowing: nil)
                _ = try await stream.next(knowing: nil)
                let call = waiting(for: stream, trial)
                call.cancel()
                _ = try await call.error()
            }
        },
        Rule("closing a stream ends the wait for events", needsEvents: true) { trial in
            try await trial.with { transport in
                let stream = try await source(transport).open(from: try await end(transport), knowing: nil)
                _ = try await stream.next(knowing: nil)
                let call = waiting(for: stream, trial)
                await stream.close()
                _ = try await call.error()
            }
        },
        Rule("events over a closed transport are unreachable", needsEvents: true) { trial in
            let transport = try await trial.server.makeTransport(.working)
            await transport.close()
            let error = try await trial.error(
                of: { transport throws(TransportError) in _ = try await transport.events?.currentCursor(knowing: nil) },
                over: transport, "the cursor")
            guard case .unreachable = error else { throw ConformanceFailure("the error is \(error)") }
        },
        Rule("events with a wrong token require action", needsEvents: true) { trial in
            try await trial.with(.withWrongToken) { transport in
                let error = try await trial.error(
                    of: { transport throws(TransportError) in
                        _ = try await transport.events?.currentCursor(knowing: nil)
                    }, over: transport, "the cursor")
                guard case .actionRequired = error else { throw ConformanceFailure("the error is \(error)") }
            }
        },
    ]

    /// Waits for events that do not come.
    private static func waiting(for stream: any EventStream, _ trial: Trial) -> BoundedCall {
        BoundedCall(trial) { () throws(TransportError) in
            while true { _ = try await stream.next(knowing: nil) }
        }
    }
}

extension RemoteEvent {
    fileprivate var message: RemoteMessage? {
        if case .message(let message) = change { message } else { nil }
    }

    /// The kind and the id of the record.
    fileprivate var record: String {
        switch change {
        case .message(let message): "message \(message.id)"
        case .messageDeleted(let id): "message \(id)"
        case .record(let record): "\(record.kind) \(record.id)"
        case .recordDeleted(let kind, let id): "\(kind) \(id)"
        }
    }
}

extension RemoteEvent.Change {
    fileprivate var messageID: MessageID? {
        switch self {
        case .message(let message): message.id
        case .messageDeleted(let id): id
        case .record, .recordDeleted: nil
        }
    }
}
