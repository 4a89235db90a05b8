import CausewayModels
import CausewayTransport

extension TransportConformance {
    private static func sample(_ trial: Trial) throws -> RecordSample {
        guard let sample = trial.server.records else { throw ConformanceFailure("the server has no records") }
        return sample
    }

    /// Reads a list page by page; returns its records in ascending order.
    private static func read(
        _ list: RecordList, over transport: any Transport, _ order: RemoteRecordsQuery.Order
    ) async throws -> [RemoteRecord] {
        var items: [RemoteRecord] = []
        var query = RemoteRecordsQuery(list: list, order: order, limit: 2)
        while true {
            let page = try await transport.records(query)
            try require(page.items.count <= 2, "a page is longer than requested")
            items += page.items
            guard let next = page.next else { return order == .ascending ? items : items.reversed() }
            if let after = query.after {
                try require(order == .ascending ? after < next : next < after, "a page leads back")
            }
            query.after = next
        }
    }

    static let recordRules: [Rule] = [
        Rule("the capabilities name the kinds of records", needsRecords: true) { trial in
            let sample = try sample(trial)
            try await trial.with { transport in
                try require(transport.capabilities.records.contains(sample.list.kind), "the kind is not named")
            }
        },
        Rule("a list's pages hold every record once, in both directions", needsRecords: true) { trial in
            let sample = try sample(trial)
            try await trial.with { transport in
                for order in [RemoteRecordsQuery.Order.ascending, .descending] {
                    let items = try await read(sample.list, over: transport, order)
                    try requireEqual(items.map(\.id), sample.ids, "the list")
                    for item in items {
                        try requireEqual(item.kind, sample.list.kind, "the kind of a record")
                        try require(item.version > 0, "a record without a version")
                    }
                }
            }
        },
        Rule("one record is as in its list, and one that does not exist is none", needsRecords: true) { trial in
            let sample = try sample(trial)
            try await trial.with { transport in
                for item in try await read(sample.list, over: transport, .ascending) {
                    let found = try await transport.record(item.kind, item.id, knowing: nil).record
                    try requireEqual(found, item, "the record")
                }
                let kind = sample.list.kind
                try requireEqual(
                    try await transport.record(kind, sample.missing, knowing: nil).record, nil, "a missing record")
            }
        },
        Rule("a list that the account cannot read is refused", needsRecords: true) { trial in
            let sample = try sample(trial)
            try await trial.with { transport in
                let query = RemoteRecordsQuery(list: sample.forbidden, limit: 2)
                let error = try await trial.error(
                    of: { transport throws(TransportError) in _ = try await transport.records(query) },
                    over: transport, "the list")
                guard case .refused = error else { throw ConformanceFailure("the error is \(error)") }
            }
        },
        Rule("records over a closed transport are unreachable", needsRecords: true) { trial in
            let sample = try sample(trial)
            let transport = try await trial.server.makeTransport(.working)
            await transport.close()
            let query = RemoteRecordsQuery(list: sample.list, limit: 2)
            let error = try await trial.error(
                of: { transport throws(TransportError) in _ = try await transport.records(query) }, over: transport,
                "the list")
            guard case .unreachable = error else { throw ConformanceFailure("the error is \(error)") }
        },
    ]
}
