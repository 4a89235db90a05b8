import CausewayStorage
import CausewaySystem
import Synchronization

/// The open files of a journal. A reader keeps those that it uses, so that compaction may remove them meanwhile.
final class JournalFiles: Sendable {
    private let open = Mutex<[UInt32: any DiskFile]>([:])
    let names: StoreFiles

    init(_ names: StoreFiles) { self.names = names }

    subscript(number: UInt32) -> (any DiskFile)? {
        get { open.withLock { $0[number] } }
        set { open.withLock { $0[number] = newValue } }
    }

    var all: [UInt32: any DiskFile] { open.withLock { $0 } }

    func removeAll() { open.withLock { $0 = [:] } }
}

/// Reads records at their locations, and verifies each.
///
/// Belongs to one thread. Records that follow one another are read together.
final class RecordReader {
    private let files: [UInt32: any DiskFile]
    private let names: StoreFiles
    /// Bytes that were read last, and what they are: a part of a file.
    private var window: (file: UInt32, start: Int64, bytes: [UInt8]) = (0, 0, [])

    init(_ files: [UInt32: any DiskFile], _ names: StoreFiles) {
        self.files = files
        self.names = names
    }

    /// The kind and the fields of the record at a location.
    func record(at location: RecordLocation) throws(StoreError) -> (kind: Record.Kind, fields: FieldReader) {
        let offset = try load(location)
        let bytes = window.bytes
        let length = Int(bytes.littleEndian(UInt32.self, at: offset))
        guard length + Record.headerBytes == Int(location.length), length > 0 else {
            throw damage(location, "the length of a record is wrong")
        }
        let body = offset + Record.headerBytes..<offset + Int(location.length)
        guard bytes.littleEndian(UInt32.self, at: offset + 4) == CRC32C.checksum(of: bytes, in: body) else {
            throw damage(location, "the checksum of a record does not match")
        }
        guard let kind = Record.Kind(rawValue: bytes[body.lowerBound]) else {
            throw damage(location, "a record is of an unknown kind")
        }
        return (kind, FieldReader(bytes, in: body.dropFirst()))
    }

    /// The fields of an item's record whose checksum does not matter; `nil` if it is none, or cannot be read.
    func unverified(at location: RecordLocation) -> FieldReader? {
        guard let offset = try? load(location) else { return nil }
        let body = offset + Record.headerBytes..<offset + Int(location.length)
        guard window.bytes[body.lowerBound] == Record.Kind.item.rawValue else { return nil }
        return FieldReader(window.bytes, in: body.dropFirst())
    }

    func damage(_ location: RecordLocation, _ detail: String) -> StoreError {
        names.damage(StoreFiles.journal(location.file), at: location.offset, detail)
    }

    /// Has the record in the window.
    ///
    /// - Returns: its offset there.
    private func load(_ location: RecordLocation) throws(StoreError) -> Int {
        let length = Int(location.length)
        if window.file == location.file, location.offset >= window.start {
            let offset = location.offset - window.start
            if offset + Int64(length) <= Int64(window.bytes.count) { return Int(offset) }
        }
        guard let file = files[location.file] else { throw damage(location, "the file of a record is missing") }
        let isNext =
            window.file == location.file && location.offset >= window.start
            && location.offset <= window.start + Int64(window.bytes.count + FileLimits.readWindowBytes)
        do throws(SystemError) {
            let bytes = try file.read(
                at: location.offset, count: isNext ? max(length, FileLimits.readWindowBytes) : length)
            window = (location.file, location.offset, bytes)
        } catch {
            throw names.failure(error, at: StoreFiles.journal(location.file))
        }
        guard window.bytes.count >= length else { throw damage(location, "a record is cut") }
        return 0
    }
}

extension Range<Int> {
    fileprivate func dropFirst() -> Range<Int> { lowerBound + 1..<upperBound }
}

extension RecordReader {
    /// The fields of an item.
    func fields(at location: RecordLocation) throws(StoreError) -> ItemFields {
        let (kind, reader) = try record(at: location)
        guard kind == .item else { throw damage(location, "a record is of another kind") }
        do throws(FieldReader.Malformed) {
            return try ItemFields(reader)
        } catch {
            throw damage(location, error.detail)
        }
    }

    /// An item with its content.
    func row(at location: RecordLocation) throws(StoreError) -> FileRow {
        try row(try fields(at: location), at: location)
    }

    func row(_ fields: ItemFields, at location: RecordLocation) throws(StoreError) -> FileRow {
        let content: ArraySlice<UInt8>
        if let place = fields.contentAt {
            guard let found = try self.fields(at: place).content else {
                throw damage(place, "a record has no content")
            }
            content = found
        } else if let found = fields.content {
            content = found
        } else {
            throw damage(location, "a record has no content")
        }
        do throws(FieldReader.Malformed) {
            return FileRow(
                row: ItemRow(item: try fields.item(content), bytes: fields.contentBytes),
                content: fields.contentAt ?? location)
        } catch {
            throw damage(location, error.detail)
        }
    }
}

/// An item as it was read, with the record that contains its content.
struct FileRow: Sendable {
    var row: ItemRow
    var content: RecordLocation
}
