import ArgumentParser
import CausewayModels
import CausewayStorage
import Foundation

/// Opens a large store and prints its figures as JSON; started by ``LargeStoreBenchmark``.
struct OpenStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "open-store", shouldDisplay: false)

    private static let pageSize = 50
    private static let pagesAtEachPlace = 101

    @Option(help: "The kind of the store.") var arm: StoreArm
    @Option(help: "Its folder.") var folder: String
    @Option(help: "The number of its messages.") var messages: Int
    @Option(help: "How many of them are queued.") var queued: Int

    func run() async throws {
        var opened: (any Store)?
        let openTime = try await MeasuredTime { opened = try await arm.open(in: folder, .full) }
        guard let store = opened else { throw BenchError("the store is not open") }
        var entries = 0
        let startTime = try await MeasuredTime { entries = try await store.start(StoreArm.options).entries.count }
        guard entries == queued else { throw BenchError("\(entries) messages are queued instead of \(queued)") }
        let channel = try StoreSample(channels: 10).channels[0]
        let newest = MessageQuery(scope: .channel(channel), direction: .descending, limit: Self.pageSize)
        let firstPage = try await MeasuredTime { _ = try await store.page(newest) }
        let confirmed = Int64(messages - queued)
        var medians: [Double] = []
        for position in [confirmed, confirmed / 2, 10 * Int64(Self.pageSize)] {
            var query = newest
            query.after = MessageQuery.Cursor(position: position, ordinal: .max)
            var times: [Double] = []
            for _ in 0..<Self.pagesAtEachPlace {
                var found = 0
                let time = try await MeasuredTime { found = try await store.page(query).messages.count }
                guard found >= Self.pageSize - 1 else { throw BenchError("a page has \(found) messages") }
                times.append(time.processor)
            }
            medians.append(times.median)
        }
        let figures = LargeStoreFigures(
            open: openTime, start: startTime, firstPage: firstPage,
            residentBytes: try MemoryFigures.now().residentBytes,
            pageRatio: (medians.max() ?? 0) / (medians.min() ?? 1))
        print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
        await store.close()
    }
}
