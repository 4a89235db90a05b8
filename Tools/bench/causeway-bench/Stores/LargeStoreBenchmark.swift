import CausewayModels
import CausewayStorage
import Foundation

/// A large store with a long outbox: how long it takes to open, the memory that it occupies, and the pages of a channel
/// at its beginning, in its middle and at its end. Each store is opened in a process of its own.
struct LargeStoreBenchmark {
    private static let channels = 10
    private static let commitMessages = 1000

    let stores: StoreFolders
    let messages: Int
    let queued: Int

    func run() async throws -> [Goal] {
        let count = "\(Figure.grouped(messages)) messages, \(Figure.grouped(queued)) queued"
        var table = Table(count, "file", "SQLite", "goal")
        var found: [StoreArm: LargeStoreFigures] = [:]
        for arm in StoreArm.allCases {
            CausewayBench.progress("filling a \(arm.rawValue) store with \(count)")
            found[arm] = try await stores.with { folder in
                try await fill(arm, folder)
                return try LargeStoreFigures.measured(arm, folder, messages: messages, queued: queued)
            }
        }
        guard let file = found[.file], let sqlite = found[.sqlite] else { throw BenchError("nothing was measured") }
        var goals: [Goal] = []
        for row in LargeStoreFigures.rows {
            for (arm, figures) in [("file", file), ("SQLite", sqlite)] {
                goals.append(
                    Goal(name: "\(row.name), \(arm)", ratio: row.value(figures) / row.most, bound: .atMost(1)))
            }
            table.add(row.name, row.text(row.value(file)), row.text(row.value(sqlite)), "≤ \(row.text(row.most))")
        }
        table.show()
        for (name, figures) in [("file", file), ("SQLite", sqlite)] {
            let times = [("open", figures.open), ("start", figures.start), ("first page", figures.firstPage)]
            let parts = times.map { "\($0) \(Figure.milliseconds($1.elapsed))" }
            print("times above are those of the processor; elapsed, \(name): \(parts.joined(separator: ", "))")
        }
        return goals
    }

    private func fill(_ arm: StoreArm, _ folder: String) async throws {
        let sample = try StoreSample(channels: Self.channels)
        try await arm.with(in: folder, .normal) { store in
            let confirmed = messages - queued
            for start in stride(from: 0, to: messages, by: Self.commitMessages) {
                try await store.commit(
                    (start..<min(messages, start + Self.commitMessages)).map { number in
                        number < confirmed ? sample.merge(number) : .enqueue(OperationDraft(sample.draft(number)))
                    })
            }
        }
    }
}

/// The figures of a large store, as the process that opened it prints them.
struct LargeStoreFigures: Codable {
    var open: MeasuredTime
    var start: MeasuredTime
    var firstPage: MeasuredTime
    var residentBytes: Int
    /// The highest of the medians at the three places, divided by the lowest.
    var pageRatio: Double

    /// A figure, its bound, and how both are printed.
    struct Row {
        let name: String
        let value: (LargeStoreFigures) -> Double
        let most: Double
        let text: (Double) -> String
    }

    static var rows: [Row] {
        [
            Row(name: "open", value: \.open.processor, most: 1, text: Figure.milliseconds),
            Row(name: "start", value: \.start.processor, most: 1, text: Figure.milliseconds),
            Row(
                name: "resident memory", value: { Double($0.residentBytes) }, most: 160 * 1_048_576,
                text: { Figure.mebibytes(Int($0)) }),
            Row(name: "first page", value: \.firstPage.processor, most: 0.005, text: Figure.milliseconds),
            Row(name: "slowest page beside fastest", value: \.pageRatio, most: 2, text: Figure.ratio),
        ]
    }

    /// Runs this program again, in a process that has nothing else in its memory.
    static func measured(
        _ arm: StoreArm, _ folder: String, messages: Int, queued: Int
    ) throws -> LargeStoreFigures {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "open-store", "--arm", arm.rawValue, "--folder", folder, "--messages", "\(messages)", "--queued",
            "\(queued)",
        ]
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("the \(arm.rawValue) store was not measured") }
        return try JSONDecoder().decode(LargeStoreFigures.self, from: printed)
    }
}
