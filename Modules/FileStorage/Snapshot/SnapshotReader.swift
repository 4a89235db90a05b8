import CausewayModels
import CausewayStorage

/// Reads a snapshot. Everything in it is verified: a snapshot is complete and right, or refused.
struct SnapshotReader {
    private(set) var index = FileIndex()
    private(set) var position = JournalPosition(file: 0, offset: 0, number: 0)
    private(set) var oldestFile: UInt32 = 0
    private(set) var store: UInt64 = 0
    private(set) var size: Int64 = 0
    /// False for a snapshot of an earlier version, which has no relations of undelivered replies.
    private(set) var hasAllRelations = false

    private let names: StoreFiles
    private var hasEnded = false
    /// The offset of the frame that is being read.
    private var frameOffset: Int64 = 0

    init(_ file: any DiskFile, _ names: StoreFiles) throws(StoreError) {
        self.names = names
        var scanner = try FrameScanner(file, names, StoreFiles.snapshot)
        size = scanner.size
        var offset: Int64 = 0
        var number: UInt64 = 1
        while offset < scanner.size {
            let frame: FrameScanner.Frame
            switch try scanner.frame(at: offset) {
            case .success(let found): frame = found
            case .failure(.version(let version)): throw .newerSchema(version: "format \(version)", path: names.folder)
            case .failure(let problem): throw damage(offset, "a frame is unreadable (\(problem))")
            }
            if store == 0 { store = frame.header.store }
            guard frame.header.number == number, frame.header.store == store, !hasEnded else {
                throw damage(offset, "a frame is not in its place")
            }
            frameOffset = offset
            do throws(FieldReader.Malformed) {
                try read(frame)
            } catch {
                throw damage(offset, "a frame cannot be decoded (\(error.detail))")
            }
            hasEnded = frame.header.flags.contains(.endsSnapshot)
            offset = frame.end
            number += 1
        }
        guard hasEnded else { throw damage(offset, "the snapshot is cut") }
    }

    private func damage(_ offset: Int64, _ detail: String) -> StoreError {
        names.damage(StoreFiles.snapshot, at: offset, detail)
    }

    private mutating func read(_ frame: FrameScanner.Frame) throws(FieldReader.Malformed) {
        var records = RecordScanner(frame)
        while let (kind, fields, _) = try records.next() { try read(kind, fields) }
    }

    private mutating func read(_ kind: Record.Kind, _ reader: FieldReader) throws(FieldReader.Malformed) {
        switch kind {
        case .snapshotStart:
            let fields = try Fields(reader)
            guard let file = UInt32(exactly: try fields.required(1)),
                let oldest = UInt32(exactly: try fields.required(4)),
                let number = UInt64(exactly: try fields.required(3)), try fields.required(2) >= 0
            else { throw .init(detail: "its position") }
            position = JournalPosition(file: file, offset: try fields.required(2), number: number)
            oldestFile = oldest
            hasAllRelations = fields.number(5) == 1
        case .snapshotItems: try readItems(try Fields(reader))
        case .snapshotRelations: try readRelations(try Fields(reader))
        case .snapshotEnd: break
        case .snapshotChannels, .snapshotRecord, .snapshotDeletion: try readSmall(kind, try Fields(reader))
        default:
            for change in try RowCoding.changes(kind, reader, at: RecordLocation(packed: 0, length: 0), index) {
                guard index.admits(change) else { throw .init(detail: "an unknown account") }
                index.apply(change)
            }
        }
    }

    private func account(_ fields: Fields) throws(FieldReader.Malformed) -> Int {
        let account = Int(clamping: try fields.required(1))
        guard index.accounts.indices.contains(account) else { throw .init(detail: "account \(account)") }
        return account
    }

    private mutating func readSmall(_ kind: Record.Kind, _ fields: Fields) throws(FieldReader.Malformed) {
        let account = try account(fields)
        if kind == .snapshotChannels {
            guard let channel = ChannelID(try fields.requiredText(2)) else { throw .init(detail: "a channel") }
            index.addChannel(channel, to: account)
            return
        }
        let location = RecordLocation(
            packed: UInt64(bitPattern: try fields.required(7)), length: UInt32(clamping: try fields.required(8)))
        if kind == .snapshotRecord {
            let entry = RecordIndex.Entry(
                version: try fields.required(4), entries: try RowCoding.entries(fields.bytes(6) ?? []),
                location: location)
            let identity = RecordIndex.Identity(kind: try RowCoding.kind(fields), id: try fields.requiredText(3))
            index.apply(.record(account: account, identity, entry))
        } else {
            let entry = DeletionIndex.Entry(message: MessageID(try fields.requiredID(3)), location: location)
            index.apply(.deletion(account: account, try fields.required(2), entry))
        }
    }

    private mutating func readItems(_ fields: Fields) throws(FieldReader.Malformed) {
        let account = try account(fields)
        let bytes = fields.bytes(2) ?? []
        // As many entries as fit into the rest of the file: most of a snapshot are entries.
        index.reserve(Int(clamping: (size - frameOffset) / Int64(SnapshotItem.bytesCount)), in: account)
        guard bytes.count.isMultiple(of: SnapshotItem.bytesCount) else { throw .init(detail: "the entries are cut") }
        guard index.restore(SnapshotItem.read(bytes), in: account) else { throw .init(detail: "an entry") }
    }

    private mutating func readRelations(_ fields: Fields) throws(FieldReader.Malformed) {
        let account = try account(fields)
        var bytes = fields.bytes(2) ?? []
        while !bytes.isEmpty {
            guard let id = UUIDv7(bytes: bytes.prefix(16)), let related = UUIDv7(bytes: bytes.dropFirst(16).prefix(16)),
                index.restore(MessageID(related), of: MessageID(id), in: account)
            else { throw .init(detail: "a relation") }
            bytes = bytes.dropFirst(32)
        }
    }
}
