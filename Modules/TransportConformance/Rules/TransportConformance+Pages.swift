import CausewayModels
import CausewayTransport

extension TransportConformance {
    /// Reads a channel page by page.
    private static func read(
        _ trial: Trial, over transport: any Transport, ascending: Bool,
        matching filter: MessageFilter = MessageFilter()
    ) async throws -> [RemoteMessage] {
        var items: [RemoteMessage] = []
        var range = ascending ? RemoteQuery.Range.after(position: 0) : .newest
        while true {
            let page = try await transport.messages(
                RemoteQuery(channel: trial.server.channel, range: range, limit: 4, filter: filter))
            let positions = page.items.map(\.serverPosition.position)
            try require(positions.count <= 4, "a page is longer than requested")
            try requireEqual(positions, positions.sorted(), "the order within a page")
            if let covered = page.range {
                try require(positions.allSatisfy(covered.contains), "a page lists a message outside of its range")
            }
            items = ascending ? items + page.items : page.items + items
            guard page.hasMore else { return items }
            let covered = page.range.flatMap { $0.isEmpty ? nil : $0 }
            guard let first = covered?.lowerBound ?? positions.first,
                let last = covered.map({ $0.upperBound - 1 }) ?? positions.last
            else { throw ConformanceFailure("an empty page has more") }
            range = ascending ? .after(position: last) : .before(position: first)
        }
    }

    static let pageRules: [Rule] = [
        Rule("pages list every message once, in both directions") { trial in
            try await trial.with { transport in
                let ids = trial.messages(10)
                let positions = try await trial.deliver(
                    trial.chain(ids.map { trial.send($0) }), over: transport
                ).positions
                for ascending in [true, false] {
                    let items = try await read(trial, over: transport, ascending: ascending)
                    try requireEqual(items.map(\.id), ids, "the list")
                    try requireEqual(items.map(\.serverPosition.position), positions, "the positions")
                    for item in items {
                        try requireEqual(item.sender, trial.server.user, "the sender")
                        try requireEqual(item.channel, trial.server.channel, "the channel of a message")
                        try requireEqual(item.content, .text("text of \(item.id)"), "the content")
                    }
                }
            }
        },
        Rule("a filter leaves out no message that satisfies it") { trial in
            try await trial.with { transport in
                let ids = trial.messages(10)
                _ = try await trial.deliver(trial.chain(ids.map { trial.send($0) }), over: transport)
                for filter in [MessageFilter(type: .text), MessageFilter(parent: .noParent)] {
                    for ascending in [true, false] {
                        let items = try await read(trial, over: transport, ascending: ascending, matching: filter)
                        try requireEqual(items.map(\.id), ids, "the list of \(filter)")
                    }
                }
                // A server may ignore the filter.
                for ascending in [true, false] {
                    let none = MessageFilter(type: .video, parent: .parent(ids[0]))
                    let items = try await read(trial, over: transport, ascending: ascending, matching: none)
                    try require(items.isEmpty || items.map(\.id) == ids, "a part of the messages of another type")
                }
            }
        },
        Rule("an empty channel is an empty page") { trial in
            try await trial.with { transport in
                let page = try await transport.messages(
                    RemoteQuery(channel: trial.server.channel, range: .newest, limit: 4))
                try requireEqual(page.items, [], "the page")
                try require(!page.hasMore, "an empty channel has more")
            }
        },
        Rule("a channel that the account cannot read is refused") { trial in
            guard let nowhere = ChannelID("no-such-channel") else { throw ConformanceFailure("an invalid name") }
            try await trial.with { transport in
                let query = RemoteQuery(channel: nowhere, range: .newest, limit: 1)
                let error = try await trial.error(
                    of: { transport throws(TransportError) in _ = try await transport.messages(query) },
                    over: transport, "the page")
                guard case .refused = error else { throw ConformanceFailure("the error is \(error)") }
            }
        },
        Rule("one message is as in its page, and one that does not exist is none") { trial in
            try await trial.with { transport in
                let ids = trial.messages(3)
                _ = try await trial.deliver(trial.chain(ids.prefix(2).map { trial.send($0) }), over: transport)
                let page = try await transport.messages(
                    RemoteQuery(channel: trial.server.channel, range: .newest, limit: 10))
                let found = try await transport.message(ids[0], knowing: nil)
                // A transport whose server returns messages only in pages finds none of them.
                if found.message != nil { try requireEqual(found.message, page.items.first, "the message") }
                for (id, item) in zip(ids, page.items) {
                    let again = try await transport.message(id, knowing: page.history).message
                    try requireEqual(again, found.message.map { _ in item }, "the message \(id)")
                }
                try requireEqual(
                    try await transport.message(ids[2], knowing: nil).message, nil, "an unknown message")
                guard transport.capabilities.operations.contains(.delete) else { return }
                _ = try await trial.deliver(trial.chain([.delete(ids[0])], from: 3), over: transport)
                try requireEqual(
                    try await transport.message(ids[0], knowing: nil).message, nil, "the deleted message")
            }
        },
        Rule("reported changes are complete") { trial in
            try await trial.with { transport in
                let ids = trial.messages(4)
                _ = try await trial.deliver(trial.chain(ids.prefix(3).map { trial.send($0) }), over: transport)
                let page = try await transport.messages(
                    RemoteQuery(channel: trial.server.channel, range: .newest, limit: 10))
                guard let cursor = page.cursor, let range = page.range, !range.isEmpty else { return }
                let bodies: [DeliveryOperation.Body] = [trial.send(ids[3]), .delete(ids[0])]
                _ = try await trial.deliver(trial.chain(bodies, from: 4), over: transport)
                let query = RemoteChangesQuery(
                    channel: trial.server.channel, cursor: cursor, from: range.lowerBound,
                    through: range.upperBound - 1, isOpen: true, limit: 10)
                guard let changes = try await transport.changes(query) else { return }
                try requireEqual(changes.items.map(\.id), [ids[3]], "the new messages")
                try requireEqual(changes.gone, [ids[0]], "the deleted messages")
            }
        },
    ]
}
