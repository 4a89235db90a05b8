import CausewayModels
import CausewayStorage

extension StoreConformance {
    static let pageRules: [Rule] = [
        Rule("a channel's pages: by position, then what is undelivered, in both directions") { factory in
            let store = try await factory.started()
            // Positions come in another order than ordinals; two share one.
            for (number, position) in [(10, 5), (11, 2), (12, 9), (13, 2), (14, 1)] {
                try await store.commit([.merge(Sample.placed(number, at: Int64(position)), at: Sample.time(9))])
            }
            for number in 0..<4 { _ = try await store.enqueue(Sample.draft(number)) }
            _ = try await store.enqueue(Sample.draft(20, in: Sample.random))
            try await store.commit([
                .deliver(Sample.id(2), Sample.serverPosition(4), at: Sample.time(9)),
                .fail(Sample.id(0), Sample.failure(), inDoubt: false),
            ])
            let expected = [14, 11, 13, 2, 10, 12, 0, 1, 3].map(Sample.id)
            for limit in 1...10 {
                let query = MessageQuery(scope: .channel(Sample.general), limit: limit)
                try requireEqual(try await store.allPages(query).map(\.id), expected, "ascending by \(limit)")
                let descending = MessageQuery(
                    scope: .channel(Sample.general), direction: .descending, limit: limit)
                try requireEqual(
                    try await store.allPages(descending).map(\.id), expected.reversed(), "descending by \(limit)")
            }
            // From a message in the middle, in both directions.
            let middle = try await store.message(Sample.id(10))
            let above = MessageQuery(scope: .channel(Sample.general), after: middle?.cursor, limit: 2)
            let below = MessageQuery(
                scope: .channel(Sample.general), direction: .descending, after: middle?.cursor, limit: 2)
            try requireEqual(try await store.page(above).messages.map(\.id), [12, 0].map(Sample.id), "above")
            try requireEqual(try await store.page(below).messages.map(\.id), [2, 13].map(Sample.id), "below")
            let nothing = MessageQuery(scope: .channel(Sample.channels[2]))
            try requireEqual(try await store.page(nothing), MessagePage(messages: [], next: nil), "an empty channel")
        },
        Rule("the outbox's pages: in the order of creation, in both directions") { factory in
            let store = try await factory.started()
            for number in 0..<9 {
                let channel = number.isMultiple(of: 3) ? Sample.random : Sample.general
                _ = try await store.enqueue(Sample.draft(number, in: channel))
            }
            let failure = Sample.failure()
            try await store.commit([
                .deliver(Sample.id(4), Sample.serverPosition(1), at: Sample.time(9)),
                .resend(Sample.id(0), at: Sample.time(9)),
                .attempt(Sample.id(2), previous: 0, attempts: 1, at: Sample.time(0)),
                .fail(Sample.id(7), failure, inDoubt: true), .fail(Sample.id(1), failure, inDoubt: false),
                .fail(Sample.id(3), failure, inDoubt: false), .fail(Sample.id(8), failure, inDoubt: false),
            ])
            let expected: [(MessageQuery.Scope, [Int])] = [
                (.undelivered, [0, 1, 2, 3, 5, 6, 7, 8]), (.failed(in: nil), [1, 3, 7, 8]),
                (.failed(in: Sample.general), [1, 7, 8]), (.failed(in: Sample.random), [3]),
                (.failed(in: Sample.channels[2]), []), (.undeliveredIn(Sample.general), [1, 2, 5, 7, 8]),
                (.undeliveredIn(Sample.random), [0, 3, 6]), (.undeliveredIn(Sample.channels[2]), []),
            ]
            for (scope, numbers) in expected {
                for limit in [1, 2, 3, 100] {
                    let up = MessageQuery(scope: scope, limit: limit)
                    let down = MessageQuery(scope: scope, direction: .descending, limit: limit)
                    let ids = numbers.map(Sample.id)
                    try requireEqual(try await store.allPages(up).map(\.id), ids, "\(scope) by \(limit)")
                    try requireEqual(
                        try await store.allPages(down).map(\.id), ids.reversed(), "\(scope) back by \(limit)")
                }
            }
            // An edit of a message in the queue waits; one of a message on the server is sent, and may fail.
            try await store.enqueue(Sample.operation(10, .edit(Sample.id(2), .text("new"))))
            try await store.enqueue(Sample.operation(11, .edit(Sample.id(4), .text("new"))))
            try await store.enqueue(
                Sample.operation(12, .addReaction(Sample.id(4), name: "wave"), in: Sample.random))
            try await store.commit([.fail(Sample.id(12), failure, inDoubt: false)])
            let operations: [(OperationQuery.Scope, [Int])] = [
                (.undelivered(in: nil), [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12]),
                (.undelivered(in: Sample.general), [1, 2, 5, 7, 8, 10, 11]),
                (.undelivered(in: Sample.random), [0, 3, 6, 12]),
                (.undelivered(in: Sample.channels[2]), []),
                (.failed(in: nil), [1, 3, 7, 8, 12]), (.failed(in: Sample.general), [1, 7, 8]),
                (.failed(in: Sample.random), [3, 12]),
                // A resend goes to the tail of the lane.
                (.pending(.created), [5, 6, 0, 11]), (.pending(.syncing), [2]), (.pending(.uploading), []),
                (.pending(.error), []), (.pending(.synced), []),
            ]
            for (scope, numbers) in operations {
                for limit in [1, 2, 3, 100] {
                    let up = OperationQuery(scope: scope, limit: limit)
                    let down = OperationQuery(scope: scope, direction: .descending, limit: limit)
                    let ids = numbers.map(Sample.id)
                    try requireEqual(try await store.allPages(up).map(\.id), ids, "\(scope) by \(limit)")
                    try requireEqual(
                        try await store.allPages(down).map(\.id), ids.reversed(), "\(scope) back by \(limit)")
                }
            }
            for (scope, numbers) in expected {
                let found = try await store.allPages(MessageQuery(scope: scope)).map(\.id)
                try requireEqual(found, numbers.map(Sample.id), "\(scope) beside operations")
            }
        },
        Rule("messages by id come in the order asked for, without those that are not there") { factory in
            let store = try await factory.started()
            for number in 0..<3 { _ = try await store.enqueue(Sample.draft(number)) }
            let found = try await store.messages([2, 9, 0, 1, 0].map(Sample.id))
            try requireEqual(found.map(\.id), [2, 0, 1, 0].map(Sample.id), "ids")
            try requireEqual(try await store.messages([]), [], "none")
            try requireEqual(try await store.message(Sample.id(9)), nil, "an unknown id")
        },
    ]
}
