import CausewayModels

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The entries of a store as lines of JSON: the format of exports, described in `Documentation/Export.md`.
///
/// Each line is an object with a `type`. The first one is `store` and names the version; the last one is `end` and has
/// the number of the lines before it, so that a file that was cut is recognised. No line contains a secret: tokens and
/// certificates are not part of a store.
package enum EntryLine: Sendable, Hashable {
    /// The version of the format that this program writes.
    package static let version = 1

    case entry(StoreEntry)
    /// A part of the file of an undelivered message; the parts of a file follow one another.
    case file(FilePart)
    /// The end, after this number of lines.
    case end(lines: Int)

    /// A part of a file.
    package struct FilePart: Sendable, Hashable {
        package var sha256: String
        package var offset: Int64
        /// The size of the whole file.
        package var size: Int64
        package var bytes: Data

        package init(sha256: String, offset: Int64, size: Int64, bytes: Data) {
            self.sha256 = sha256
            self.offset = offset
            self.size = size
            self.bytes = bytes
        }
    }

    /// The reason why a line cannot be read.
    package struct Malformed: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// The line, without its end.
    package func encoded() throws(StoreError) -> Data {
        do {
            switch self {
            case .entry(.header(let header)): return try Self.encoder.encode(HeaderLine(header))
            case .entry(.account(let account)): return try Self.encoder.encode(AccountLine(account))
            case .entry(.lane(let lane, let last)): return try Self.encoder.encode(LaneLine(lane, last))
            case .entry(.marker(let marker)): return try Self.encoder.encode(MarkerLine(marker))
            case .entry(.item(let item)): return try Self.encoder.encode(ItemLine(item))
            case .entry(.record(let record)): return try Self.encoder.encode(RecordLine(record))
            case .entry(.deletion(let action)): return try Self.encoder.encode(DeletionLine(action))
            case .file(let part): return try Self.encoder.encode(FileLine(part))
            case .end(let lines): return try Self.encoder.encode(EndLine(lines: lines))
            }
        } catch {
            throw .other(detail: "an entry cannot be written as JSON: \(error)")
        }
    }

    /// Decodes a line, without its end.
    package init(_ bytes: [UInt8]) throws(Malformed) {
        let tree: JSONValue
        do { tree = try JSONParser.parse(bytes) } catch {
            throw Malformed(description: "it is not JSON (\(error))")
        }
        guard let type = tree["type"]?.string else { throw Malformed(description: "it has no `type`") }
        do {
            self = try Self.decoded(type, tree)
        } catch let problem as Malformed {
            throw problem
        } catch let error as DecodingError {
            throw Malformed(description: "its \(Self.place(of: error)) is missing or malformed")
        } catch {
            throw Malformed(description: "\(error)")
        }
    }

    private static func decoded(_ type: String, _ tree: JSONValue) throws -> EntryLine {
        switch type {
        case HeaderLine.type: .entry(.header(try JSONCoding.decode(HeaderLine.self, from: tree).header()))
        case AccountLine.type: .entry(.account(try JSONCoding.decode(AccountLine.self, from: tree).entry))
        case LaneLine.type: .entry(try JSONCoding.decode(LaneLine.self, from: tree).entry)
        case MarkerLine.type: .entry(.marker(try JSONCoding.decode(MarkerLine.self, from: tree).marker()))
        case ItemLine.messageType, ItemLine.operationType:
            .entry(.item(try JSONCoding.decode(ItemLine.self, from: tree).item()))
        case RecordLine.type: .entry(.record(try JSONCoding.decode(RecordLine.self, from: tree).record()))
        case DeletionLine.type: .entry(.deletion(try JSONCoding.decode(DeletionLine.self, from: tree).action))
        case FileLine.type: .file(try JSONCoding.decode(FileLine.self, from: tree).part())
        case EndLine.type: .end(lines: try JSONCoding.decode(EndLine.self, from: tree).lines)
        default: throw Malformed(description: "its type `\(type.prefix(32))` is unknown")
        }
    }

    private static func place(of error: DecodingError) -> String {
        let path: [any CodingKey] =
            switch error {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: []
            }
        return path.isEmpty ? "content" : "`" + path.map(\.stringValue).joined(separator: ".") + "`"
    }
}

/// The last line.
private struct EndLine: Codable {
    static let type = "end"
    var type = EndLine.type
    var lines: Int
}

private struct FileLine: Codable {
    static let type = "file"
    var type = FileLine.type
    var sha256: String
    var offset: Int64
    var size: Int64
    /// Base64.
    var data: String

    init(_ part: EntryLine.FilePart) {
        sha256 = part.sha256
        offset = part.offset
        size = part.size
        data = part.bytes.base64EncodedString()
    }

    func part() throws -> EntryLine.FilePart {
        guard let bytes = Data(base64Encoded: data), offset >= 0, size >= 0, Attachment.isHash(sha256),
            Int64(bytes.count) <= size - offset
        else { throw EntryLine.Malformed(description: "its part of a file is malformed") }
        return EntryLine.FilePart(sha256: sha256, offset: offset, size: size, bytes: bytes)
    }
}
