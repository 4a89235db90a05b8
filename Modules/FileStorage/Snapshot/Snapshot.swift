import CausewayModels
import CausewayStorage

/// The index of a store as of a position of its journal, for a file: reading it replaces reading the journal up to
/// there. A copy shares its memory with the index until a write.
struct Snapshot {
    /// The captured part of one account: its values, without the orders, which are built again.
    struct AccountPart {
        var name: Account?
        var outbox: OutboxRecord
        var markers: [Int64: ChainMarker]
        var lanes: [LaneID: Int64]
        var channels: [ChannelID]
        var pages: [[ItemTable.Entry]]
        var relations: [ItemTable.Slot: MessageID]
        var records: [RecordIndex.Identity: RecordIndex.Entry]
        var deletions: [Int64: DeletionIndex.Entry]
    }

    var store: UInt64
    /// The journal continues here.
    var position: JournalPosition
    /// The first journal file that is still needed.
    var oldestFile: UInt32
    var common: StoreState
    var nextSequence: Int64
    var accounts: [AccountPart]

    init(_ index: FileIndex, store: UInt64, at position: JournalPosition, oldestFile: UInt32) {
        self.store = store
        self.position = position
        self.oldestFile = oldestFile
        common = index.common
        nextSequence = index.nextSequence
        accounts = index.accounts.map { account in
            AccountPart(
                name: account.account, outbox: account.outbox, markers: account.markers,
                lanes: account.lastTransmitted, channels: account.channels, pages: account.items.pages,
                relations: account.relations, records: account.records.stored, deletions: account.deletions.stored)
        }
    }
}

/// The entries of an index in a snapshot: 53 bytes each.
enum SnapshotItem {
    static let bytesCount = 53

    static func write(_ entry: ItemTable.Entry, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: entry.id.high)
        bytes.append(littleEndian: entry.id.low)
        bytes.append(littleEndian: entry.ordinal)
        bytes.append(littleEndian: entry.key)
        bytes.append(littleEndian: entry.place)
        bytes.append(littleEndian: entry.length)
        bytes.append(littleEndian: entry.bytes)
        bytes.append(littleEndian: entry.channel)
        bytes.append(entry.flags)
    }

    /// As many whole entries as there are.
    static func read(_ bytes: ArraySlice<UInt8>) -> [ItemTable.Entry] {
        unsafe bytes.withUnsafeBytes { all in
            (0..<all.count / bytesCount).map { number in
                func word<Word: FixedWidthInteger>(_ place: Int, _ type: Word.Type) -> Word {
                    let offset = number * bytesCount + place
                    return Word(littleEndian: unsafe all.loadUnaligned(fromByteOffset: offset, as: type))
                }
                return ItemTable.Entry(
                    id: UUIDv7(high: word(0, UInt64.self), low: word(8, UInt64.self)), ordinal: word(16, Int64.self),
                    key: word(24, Int64.self), place: word(32, UInt64.self), length: word(40, UInt32.self),
                    bytes: word(44, UInt32.self), channel: word(48, UInt32.self), flags: word(52, UInt8.self))
            }
        }
    }
}
