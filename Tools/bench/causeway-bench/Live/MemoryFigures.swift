import Foundation

/// The memory that the process uses now.
struct MemoryFigures {
    /// Resident memory, including what the allocator keeps for later.
    let residentBytes: Int

    static func now() throws -> MemoryFigures {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard pages.count > 1, let resident = Int(pages[1]) else { throw BenchError("/proc/self/statm is not read") }
        return MemoryFigures(residentBytes: resident * Int(getpagesize()))
    }

    var line: String { "\(Figure.mebibytes(residentBytes)) resident" }
}
