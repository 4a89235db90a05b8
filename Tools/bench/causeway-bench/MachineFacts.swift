import Foundation

/// The machine on which the figures were measured.
struct MachineFacts {
    private static let syncs = 200

    let line: String

    /// Measures the disk: appends to a file in `folder` and waits for the disk each time.
    init(filesystem: String, folder: String) throws {
        let process = ProcessInfo.processInfo
        let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let sync = try Self.syncSeconds(in: folder)
        let slow = sync.sorted()[sync.count * 9 / 10]
        line = [
            "\(process.activeProcessorCount) cores", kernel ?? process.operatingSystemVersionString, filesystem,
            "sync to the disk \(Figure.microseconds(sync.median)) µs "
                + "(median of \(sync.count); a tenth above \(Figure.microseconds(slow)) µs)",
        ].joined(separator: ", ")
    }

    private static func syncSeconds(in folder: String) throws -> [Double] {
        let path = folder + "/sync-probe"
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw BenchError("\(path) cannot be written") }
        defer { try? FileManager.default.removeItem(atPath: path) }
        let page = Data(repeating: 0x2E, count: 4096)
        let clock = ContinuousClock()
        return try (0..<syncs).map { _ in
            try clock.measure {
                try file.write(contentsOf: page)
                try file.synchronize()
            }.seconds
        }
    }
}
