import CausewayHubSQLite
import CausewayHubStorage
import CausewayModels
import CausewayTestSupport
import Foundation
import GRDB
import Synchronization
import Testing

/// The write-ahead log of the hub's database is bounded.
@Suite struct HubLogTests {
    /// Each reader begins before the previous one ends: without being cut, the log would hold everything that was
    /// written. An attempt may fail if a reader is not scheduled; there are several more before the log is much longer.
    @Test func theLogIsBoundedWhileReadersOverlap() async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let bound: Int64 = 1 << 20
        let storage = try SQLiteHubStorage(path: path, creating: true, logBytesMax: bound)
        let isOver = Mutex(false)
        let readers = Thread { Self.overlap(path) { isOver.withLock { $0 } } }
        readers.start()
        var (largest, written, last): (Int64, Int64, Int64) = (0, 0, 0)
        for number in 0..<1500 {
            let user = try #require(UserID("user\(number)"))
            let digest = Array(repeating: UInt8(0), count: 30) + [UInt8(number / 256), UInt8(number % 256)]
            _ = try await storage.addAccount(user, tokenDigest: digest, at: Timestamp(milliseconds: 1))
            let size = (try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int64) ?? 0
            largest = max(largest, size)
            written += max(0, size - last)
            last = size
        }
        isOver.withLock { $0 = true }
        #expect(written > 12 * bound, "\(written)")
        #expect(largest < 10 * bound, "\(largest)")
        storage.close()
    }

    /// A log that is truncated each time has to grow again, which makes each sync dearer.
    @Test func theLogKeepsItsSizeWhenItRestarts() async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let storage = try SQLiteHubStorage(path: path, creating: true)
        var sizes: [Int64] = []
        for number in 0..<2500 {
            let user = try #require(UserID("user\(number)"))
            let digest = Array(repeating: UInt8(0), count: 30) + [UInt8(number / 256), UInt8(number % 256)]
            _ = try await storage.addAccount(user, tokenDigest: digest, at: Timestamp(milliseconds: 1))
            sizes.append((try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int64) ?? 0)
        }
        #expect(sizes == sizes.sorted(), "it never shrinks")
        #expect(sizes.suffix(100).first == sizes.last, "it has restarted, and is long enough")
        storage.close()
    }

    private static func overlap(_ file: String, until isOver: () -> Bool) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        guard let first = try? DatabaseQueue(path: file, configuration: configuration),
            let second = try? DatabaseQueue(path: file, configuration: configuration)
        else { return }
        var current = first
        var next = second
        func begin(_ queue: DatabaseQueue) {
            try? queue.inDatabase { db in
                try db.execute(sql: "BEGIN")
                _ = try Int.fetchOne(db, sql: "SELECT max(number) FROM account")
            }
        }
        begin(current)
        while !isOver() {
            begin(next)
            try? current.inDatabase { try $0.execute(sql: "COMMIT") }
            swap(&current, &next)
        }
        try? current.inDatabase { try $0.execute(sql: "COMMIT") }
    }
}
