import CausewayStorage
import CausewaySystem

/// Records in a file of its own, `journal.end`, how far the journal was durable.
///
/// The frames of a journal show that those before them were durable; nothing in it shows that the last ones were, or
/// that there were any more. The note does. It is written after each sync and not synced itself, so that it adds no
/// wait, and a power failure leaves an earlier note or none.
///
/// | word | |
/// | --- | --- |
/// | 0 | `CWJE` |
/// | 1 | version, 1 |
/// | 2, 3 | identity of the store |
/// | 4, 5 | number of the last frame that is durable |
/// | 6 | CRC-32C of the words before |
struct JournalEnd: Sendable {
    struct Position: Equatable {
        var store: UInt64
        /// Of a frame; all frames up to it are durable.
        var number: UInt64

        /// True if there was more than the frame that begins the journal, which is no commit.
        var hasCommits: Bool { number > 1 }
    }

    private static let version: UInt32 = 1
    private static let wordsCount = 7
    private static let bytesCount = wordsCount * 4

    private let file: any DiskNote

    init(_ disk: any Disk, _ names: StoreFiles) throws(StoreError) {
        do throws(SystemError) {
            file = try disk.note(StoreFiles.journalEnd, wordsCount: Self.wordsCount)
        } catch {
            throw names.failure(error, at: StoreFiles.journalEnd)
        }
    }

    /// The last position that was written; `nil` if there is none, or an incomplete one.
    var position: Position? {
        var bytes = [UInt8](repeating: 0, count: Self.bytesCount)
        for (index, word) in file.words.prefix(Self.wordsCount).enumerated() {
            bytes.put(littleEndian: UInt32(littleEndian: word), at: index * 4)
        }
        guard bytes.starts(with: Self.magic), bytes.littleEndian(UInt32.self, at: 4) == Self.version,
            bytes.littleEndian(UInt32.self, at: 24) == CRC32C.checksum(of: bytes, in: 0..<24)
        else { return nil }
        return Position(
            store: bytes.littleEndian(UInt64.self, at: 8), number: bytes.littleEndian(UInt64.self, at: 16))
    }

    func write(_ position: Position) {
        var bytes = Self.magic + [UInt8](repeating: 0, count: Self.bytesCount - Self.magic.count)
        bytes.put(littleEndian: Self.version, at: 4)
        bytes.put(littleEndian: position.store, at: 8)
        bytes.put(littleEndian: position.number, at: 16)
        bytes.put(littleEndian: CRC32C.checksum(of: bytes, in: 0..<24), at: 24)
        file.write((0..<Self.wordsCount).map { bytes.littleEndian(UInt32.self, at: $0 * 4).littleEndian })
    }

    /// The words for durable commits that are gone.
    static func loss(_ detail: String) -> String {
        OutboxSnapshot.loss(of: "journal", detail)
    }

    private static let magic = Array("CWJE".utf8)
}
