import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Testing

/// Files of a later version of the format: refused, and left as they are.
struct FormatVersionTests {
    private static let journal = "journal-0000000000000001"

    private func sample() async throws -> FaultyDisk {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        try await store.maintain(.snapshot)
        for number in 3..<5 { _ = try await store.enqueue(History.draft(number)) }
        await store.close()
        return disk
    }

    /// Gives the frame at an offset another version, with the checksum that belongs to it.
    private static func change(_ bytes: inout [UInt8], at frame: Int, version: UInt8) {
        bytes[frame + 4] = version
        let checksum = CRC32C.checksum(of: bytes, in: frame..<frame + 44)
        for index in 0..<4 { bytes[frame + 44 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(index * 8)) }
    }

    private static func frames(_ bytes: [UInt8]) -> [Int] {
        var (frames, start) = ([Int](), 0)
        while start < bytes.count {
            frames.append(start)
            start += 48 + (0..<4).reduce(0) { $0 | Int(bytes[start + 36 + $1]) << ($1 * 8) }
        }
        return frames
    }

    enum Place: CaseIterable, Sendable { case wholeJournal, lastFrame, snapshot }

    @Test(arguments: Place.allCases) func aLaterVersionIsRefused(_ place: Place) async throws {
        let disk = try await sample()
        let name = place == .snapshot ? "snapshot" : Self.journal
        var bytes = try #require(disk[name])
        let frames = Self.frames(bytes)
        for frame in place == .lastFrame ? frames.suffix(1) : frames[...] {
            Self.change(&bytes, at: frame, version: 2)
        }
        disk[name] = bytes
        // A journal without its snapshot, too.
        for hasSnapshot in place == .snapshot ? [true] : [true, false] {
            let copy = disk.copy()
            if !hasSnapshot { copy["snapshot"] = nil }
            let files = copy.files
            await #expect(throws: StoreError.newerSchema(version: "format 2", path: "store")) {
                _ = try await FileStore.open(on: copy, durability: .full)
            }
            #expect(copy.files == files)
        }
        // The version alone makes the difference.
        for frame in frames { Self.change(&bytes, at: frame, version: 1) }
        disk[name] = bytes
        await (try FileStore.open(on: disk, durability: .full)).close()
    }
}
