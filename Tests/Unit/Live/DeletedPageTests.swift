import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Testing

/// Pages of a list with deleted messages: the store's messages and its tombstones as one order.
@Suite struct DeletedPageTests {
    private static func general() throws -> ChannelID { try #require(ChannelID("general")) }

    /// A store with twenty messages, the last two undelivered; of the others, some are deleted.
    ///
    /// - Parameter isDeleted: true for the numbers of deleted messages; every other one of them was an image.
    private static func store(_ isDeleted: (Int) -> Bool) async throws -> MemoryStore {
        let store = MemoryStore()
        _ = try await store.start(.forTests)
        let channel = try general()
        for number in (1...18).shuffled(seed: 7) {
            let message = try Sample.placed(number, at: Int64(number), in: channel)
            try await store.commit([.merge(message, at: Sample.time)])
            guard isDeleted(number) else { continue }
            let left = DeletedMessage(
                id: message.id, channel: channel, sender: message.sender, type: number % 4 < 2 ? .image : .text,
                createdAt: message.createdAt, serverPosition: message.serverPosition, deletedAt: Sample.time)
            try await store.commit([.delete(message.id), .mergeRecords(RecordMerge([left.stored]))])
        }
        for number in 19...20 { _ = try await store.enqueue(try Sample.draft(number, in: channel)) }
        return store
    }

    /// From every message on, in both directions, by every limit.
    @Test(arguments: [MessageType?.none, .text], [LiveDirection.ascending, .descending])
    func everyPageIsAPartOfTheOrder(_ type: MessageType?, _ direction: LiveDirection) async throws {
        for isDeleted: (Int) -> Bool in [
            { $0 % 2 == 0 }, { (3...12).contains($0) }, { $0 == 1 || $0 == 18 }, { _ in true }, { _ in false },
        ] {
            let store = try await Self.store(isDeleted)
            let query = MessagesQuery(
                .channel(try Self.general()), filter: MessageFilter(type: type), includesDeleted: true)
            let all = try await query.page(in: store, from: nil, direction: .ascending, limit: 100).records
            let numbers = (1...20).filter { type == nil || !isDeleted($0) || $0 % 4 > 1 || $0 > 18 }
            #expect(all.map(\.id) == numbers.map(Sample.id))
            #expect(all.map(\.isDeleted) == numbers.map { $0 <= 18 && isDeleted($0) })
            let order = direction == .ascending ? all : all.reversed()
            for limit in 1...6 {
                let first = try await query.page(in: store, from: nil, direction: direction, limit: limit)
                try check(first, order[...], limit, isFiltered: type != nil)
                for index in order.indices {
                    let key = query.key(of: order[index])
                    let at = try await query.page(in: store, from: .at(key), direction: direction, limit: limit)
                    try check(at, order[index...], limit, isFiltered: type != nil)
                    let beyond = try await query.page(
                        in: store, from: .beyond(key), direction: direction, limit: limit)
                    try check(beyond, order[(index + 1)...], limit, isFiltered: type != nil)
                }
            }
        }
    }

    /// A page may be short, but leaves nothing out. With a filter, what it has seen of more may not satisfy it.
    private func check(
        _ page: LivePage<Message>, _ rest: ArraySlice<Message>, _ limit: Int, isFiltered: Bool
    ) throws {
        #expect(page.records == Array(rest.prefix(page.records.count)))
        #expect(page.records.count <= limit && (page.hasMore || page.records.count == rest.count))
        #expect(!page.hasMore || !page.records.isEmpty && (isFiltered || page.records.count < rest.count))
        if let following = page.following { #expect(following == rest.dropFirst(page.records.count).first) }
    }

    /// A message that is deleted between the two reads of a page is in it once.
    @Test func aMessageThatIsDeletedDuringAReadIsDeleted() async throws {
        let base = try await Self.store { _ in false }
        let store = TurbulentStore(base)
        let id = Sample.id(3)
        store.setTurbulence(
            TurbulentStore.Turbulence { () async throws(StoreError) in
                // Before the second read: the first one has begun and ended by then.
                if store.readCount == 2 { try await base.commit([.delete(id)]) }
            })
        let query = MessagesQuery(.channel(try Self.general()), includesDeleted: true)
        let page = try await query.page(in: store, from: nil, direction: .ascending, limit: 100)
        store.setTurbulence(nil)
        #expect(page.records.map(\.id) == (1...20).map(Sample.id))
        #expect(page.records.filter(\.isDeleted).map(\.id) == [id])
    }
}

extension ClosedRange<Int> {
    /// The numbers in an order that depends on the seed.
    fileprivate func shuffled(seed: UInt64) -> [Int] {
        var random = SplitMix64(seed: seed)
        return shuffled(using: &random)
    }
}
