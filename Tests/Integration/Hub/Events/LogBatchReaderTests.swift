import CausewayHub
import CausewayHubRules
import CausewayHubStorage
import CausewayModels
import CausewayTestSupport
import Synchronization
import Testing

/// Queries of the log that wait at the same moment.
@Suite struct LogBatchReaderTests {
    @Test func queriesThatWaitAreReadTogether() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        for position in 0..<30 { log.begin(position, of: Int64(position % 3), bytes: 4096) }
        await until { log.reader.waitingCount == 30 }
        log.release()
        #expect(await log.results().count == 30 + HubLimits.logBatchesMax)
        #expect(log.batches.dropFirst(HubLimits.logBatchesMax).map(\.count) == [30])
    }

    @Test func aBatchHasTheBytesOfOnePage() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        for position in 0..<8 { log.begin(position, of: Int64(position), bytes: HubLimits.pageBytesMax / 2) }
        await until { log.reader.waitingCount == 8 }
        log.release()
        _ = await log.results()
        #expect(log.batches.dropFirst(HubLimits.logBatchesMax).map(\.count) == [2, 2, 2, 2])
    }

    @Test func accountsTakeTurns() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        for position in 0..<20 { log.begin(position, of: 1, bytes: HubLimits.pageBytesMax) }
        await until { log.reader.waitingCount == 20 }
        log.begin(100, of: 2, bytes: HubLimits.pageBytesMax)
        await until { log.reader.waitingCount == 21 }
        log.release()
        _ = await log.results()
        let place = try #require(log.batches.firstIndex { $0.contains(100) })
        // Batches that are taken at the same moment may begin in either order.
        #expect(place <= 2 * HubLimits.logBatchesMax)
    }

    @Test func aQueryThatCannotBeReadFailsAlone() async throws {
        let log = HeldLog(failing: 7)
        await log.holdAllBatches()
        for position in 0..<10 { log.begin(position, of: Int64(position), bytes: 1) }
        await until { log.reader.waitingCount == 10 }
        log.release()
        let results = await log.results()
        #expect(results[7] == false)
        #expect(results.filter { !$0.value }.count == 1)
    }

    @Test func aQueryWhoseBytesHaveNoRoomIsRefusedAlone() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        log.begin(0, of: 1, bytes: 10)
        log.begin(1, of: 2, bytes: HeldLog.bytesPerAccountMax + 1)
        await until { log.reader.waitingCount == 2 }
        log.release()
        let results = await log.results()
        #expect(results[0] == true && results[1] == false)
        #expect(!log.batches.joined().contains(1))
        #expect(log.bytes == 0)
    }

    @Test func anAccountHasAShareOfWhatWaits() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        for position in 0..<HubLimits.waitingPerAccountMax { log.begin(position, of: 1, bytes: 1) }
        await until { log.reader.waitingCount == HubLimits.waitingPerAccountMax }
        await #expect(throws: (any Error).self) { try await log.read(1000, of: 1, bytes: 1) }
        log.begin(1001, of: 2, bytes: 1)
        await until { log.reader.waitingCount == HubLimits.waitingPerAccountMax + 1 }
        log.release()
        #expect(await log.results()[1001] == true)
    }

    @Test func aReaderThatIsCancelledTakesNothingFromOthers() async throws {
        let log = HeldLog()
        await log.holdAllBatches()
        let cancelled = Task { try await log.read(1, of: 1, bytes: 1) }
        log.begin(2, of: 2, bytes: 1)
        await until { log.reader.waitingCount == 2 }
        cancelled.cancel()
        log.release()
        #expect(await log.results()[2] == true)
        _ = await cancelled.result
    }
}

/// A log whose readings wait until they are released.
private final class HeldLog: Sendable {
    static let bytesPerAccountMax = 2 * HubLimits.pageBytesMax

    private let readings = HeldReadings()
    private let shares = ByteShares(totalMax: 1 << 30, perAccountMax: bytesPerAccountMax, perPeerMax: 1 << 30)
    private let readers = Mutex<[Int: Task<Bool, Never>]>([:])
    let reader: LogBatchReader

    /// - Parameter failing: the position that cannot be read.
    init(failing: Int64? = nil) {
        reader = LogBatchReader { [readings] queries throws(HubStorageError) in
            await readings.hold(queries.map { Int($0.cursor.position) })
            guard !queries.contains(where: { $0.cursor.position == failing }) else { throw .full(path: "log") }
            return queries.map { .reset($0.cursor) }
        }
    }

    /// The positions of each batch, in the order of their beginning.
    var batches: [[Int]] { readings.batches }

    /// The bytes that count now.
    var bytes: Int { shares.total }

    func release() { readings.release() }

    /// Begins as many batches as are read at a time.
    func holdAllBatches() async {
        for number in 1...HubLimits.logBatchesMax {
            begin(-number, of: Int64(-number), bytes: 1)
            await until { batches.count == number }
        }
    }

    func begin(_ position: Int, of account: Int64, bytes: Int) {
        let task = Task { (try? await read(position, of: account, bytes: bytes)) != nil }
        readers.withLock { $0[position] = task }
    }

    /// Whether each query was read, by its position.
    func results() async -> [Int: Bool] {
        var results: [Int: Bool] = [:]
        for (position, task) in readers.withLock({ $0 }) { results[position] = await task.value }
        return results
    }

    func read(_ position: Int, of account: Int64, bytes: Int) async throws {
        let user = try #require(UserID("user-\(abs(account))"))
        let id = [UInt8](repeating: 0, count: 16)
        let query = LogQuery(
            cursor: LogCursor(history: id, opening: id, position: Int64(position)), reader: account,
            rights: TopicRights(of: user), limit: PageLimit(count: 10, contentBytes: bytes))
        let lease = ByteLease(shares, for: ByteShares.Owner(account: account, peer: "peer"))
        _ = try await reader.read(
            query, for: HubAccount(number: account, user: user, createdAt: Timestamp(milliseconds: 0), removedAt: nil),
            holding: lease)
    }
}

private final class HeldReadings: Sendable {
    private struct State {
        var batches: [[Int]] = []
        var isReleased = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var batches: [[Int]] { state.withLock { $0.batches } }

    func hold(_ batch: [Int]) async {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                state.batches.append(batch)
                if !state.isReleased { state.held.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
    }

    func release() {
        let held = state.withLock { state in
            state.isReleased = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
