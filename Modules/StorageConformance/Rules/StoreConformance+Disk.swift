import CausewayModels
import CausewayStorage

extension StoreConformance {
    /// One guarantee about a disk that fails, and the check for it.
    public typealias DiskRule = ConformanceRule<FailingStoreFactory>

    /// The guarantees of a store on a disk that fails; ``rules`` has those of a disk that works. A store that is gone
    /// with its process has no use for them.
    public static let diskRules: [DiskRule] = [
        DiskRule("a power failure takes nothing that was acknowledged") { factory in
            var world = try await FailingWorld(factory)
            try await world.fill(20)
            try await world.requireAllAfterPowerFailure()
        },
        DiskRule("a full disk refuses with that error, and everything else is as before") { factory in
            var world = try await FailingWorld(factory)
            try await world.fill(6)
            let before = try await world.content()
            try await factory.fail(world.store, .full)
            for number in 100..<103 {
                let error = try await world.refused(number)
                guard case .full = error else {
                    throw ConformanceFailure(detail: "a full disk: \(error)", file: #fileID, line: #line)
                }
            }
            try requireEqual(try await world.content(), before, "the content while the disk is full")
            try await factory.fail(world.store, nil)
            try requireEqual(try await world.content(), before, "the content when there is room again")
            try await world.fill(4)
            try await world.requireAllAfterPowerFailure()
        },
        DiskRule("after a failed write the store goes on by itself") { factory in
            try await examine(.writes, factory)
        },
        DiskRule("a failed sync acknowledges nothing, and the store goes on by itself") { factory in
            try await examine(.oneSync, factory)
        },
        DiskRule("syncs that go on failing acknowledge nothing, and the store goes on when they end") { factory in
            try await examine(.syncs, factory)
        },
    ]

    private static func examine(_ fault: FailingStoreFactory.Fault, _ factory: FailingStoreFactory) async throws {
        var world = try await FailingWorld(factory)
        try await world.fill(6)
        let before = try await world.content()
        try await factory.fail(world.store, fault)
        for number in 100..<(fault == .oneSync ? 101 : 103) { _ = try await world.refused(number) }
        try await factory.fail(world.store, nil)
        try await world.fill(1)
        try requireEqual(try await world.content().dropLast(), before[...], "the content after the fault")
        try await world.fill(4)
        try await world.requireAllAfterPowerFailure()
    }
}

/// A store on a disk that fails, with everything that it has acknowledged.
private struct FailingWorld {
    let factory: FailingStoreFactory
    var store: any Store
    private let fold = FeedFold()
    private let subscription: StoreSubscription
    private var acknowledged: [MessageID] = []

    init(_ factory: FailingStoreFactory) async throws {
        self.factory = factory
        store = try await factory.make()
        _ = try await store.start(Sample.opening())
        subscription = store.subscribe(fold.receive)
    }

    /// Creates messages, the large ones of them in more than one page of any store.
    mutating func fill(_ count: Int) async throws {
        for number in acknowledged.count..<(acknowledged.count + count) {
            let text = String(repeating: "x", count: number.isMultiple(of: 3) ? 9_000 : 20)
            acknowledged.append(try await store.enqueue(Sample.draft(number, .text(text))).id)
        }
    }

    /// The error of a message that cannot be stored.
    func refused(_ number: Int) async throws -> StoreError {
        do throws(StoreError) {
            _ = try await store.enqueue(Sample.draft(number))
        } catch {
            return error
        }
        throw ConformanceFailure(detail: "message \(number) was acknowledged", file: #fileID, line: #line)
    }

    /// The messages in the order of the queue.
    func content() async throws -> [MessageID] {
        let outbox = try await store.outbox()
        let ids = outbox.entries.sorted { $0.sequence < $1.sequence }.map(\.message)
        try requireEqual(try await store.messages(ids).map(\.id), ids, "the messages of the queue")
        try requireEqual(fold.problem, nil, "the feed")
        return ids
    }

    /// Nothing that was acknowledged is missing, nothing that was refused was reported, and the store goes on.
    mutating func requireAllAfterPowerFailure() async throws {
        try requireEqual(try await content(), acknowledged, "the content")
        if !fold.isStale {
            try requireEqual(Set(fold.messages.keys), Set(acknowledged), "the messages that the feed reported")
        }
        subscription.cancel()
        store = try await factory.reopenAfterPowerFailure(store)
        _ = try await store.start(Sample.opening())
        try requireEqual(try await content(), acknowledged, "the content after a power failure")
        try await fill(1)
        try requireEqual(try await content(), acknowledged, "the content afterwards")
        await store.close()
    }
}
