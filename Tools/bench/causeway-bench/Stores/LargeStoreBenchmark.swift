import CausewayModels
import CausewayStorage
import Foundation

/// A large store with a long outbox: how long it takes to open, the memory that it occupies, and the pages of a channel at
/// its beginning, in its middle and at its end. Each store is opened in a process of its own.
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
            table.add(row.name, row.text(file), row.text(sqlite), "≤ \(row.limit)")
        }
        table.show()
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
    var openSeconds: Double
    var startSeconds: Double
    var residentBytes: Int
    var firstPageSeconds: Double
    /// The highest of the medians at the three places, divided by the lowest.
    var pageRatio: Double

    struct Row {
        let name: String
        let value: (LargeStoreFigures) -> Double
        let most: Double
        let limit: String
        let text: (LargeStoreFigures) -> String
    }

    static let rows = [
        Row(name: "open", value: \.openSeconds, most: 1, limit: "1 s") { Figure.milliseconds($0.openSeconds) },
        Row(name: "start", value: \.startSeconds, most: 1, limit: "1 s") { Figure.milliseconds($0.startSeconds) },
        Row(name: "resident memory", value: { Double($0.residentBytes) }, most: 160 * 1_048_576, limit: "160 MiB") {
            Figure.mebibytes($0.residentBytes)
        },
        Row(name: "first page", value: \.firstPageSeconds, most: 0.005, limit: "5 ms") {
            Figure.milliseconds($0.firstPageSeconds)
        },
        Row(name: "slowest page beside fastest", value: \.pageRatio, most: 2, limit: "2") { Figure.ratio($0.pageRatio) },
    ]

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
