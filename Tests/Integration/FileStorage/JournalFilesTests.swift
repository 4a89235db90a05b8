import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Testing

/// The journal as a series of files.
struct JournalFilesTests {
    /// A file ends with the first commit that reaches its limit; the next commit begins another one.
    @Test(arguments: Durability.allCases)
    func aFullFileIsFollowedByAnother(_ durability: Durability) async throws {
        let (fileBytes, messages) = (4_096, 40)
        let disk = FaultyDisk()
        let options = FileOptions(journalBytesMax: Int64(fileBytes), journalBytesAhead: 1_024)
        var store = try await FileStore.open(on: disk, durability: durability, options: options)
        _ = try await store.start(History.options)
        for number in 0..<messages { _ = try await store.enqueue(History.draft(number, bytes: 500)) }
        let sizes = disk.files.filter { $0.key.hasPrefix("journal-") }.map(\.value.count)
        #expect(sizes.count >= messages * 500 / fileBytes)
        // The last one may have zeros at its end.
        #expect(sizes.allSatisfy { $0 < fileBytes + 2_048 })
        await store.close()
        // All files are durable, and are read in their order.
        let after = disk.afterPowerFailure { false }
        store = try await FileStore.open(on: after, durability: durability, options: options)
        _ = try await store.start(History.options)
        let found = try await store.page(MessageQuery(scope: .undelivered, limit: messages + 1)).messages.map(\.id)
        #expect(found == (0..<messages).map { History.id($0) })
        await store.close()
    }
}
