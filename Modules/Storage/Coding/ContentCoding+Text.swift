import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ContentCoding {
    private static let head = Array(
        #"{"v":\#(MessageContent.codingVersion),"type":"\#(MessageType.text.name)","text":""#.utf8)
    private static let tail = Array(#""}"#.utf8)
    private static let hex = Array("0123456789abcdef".utf8)

    /// The same object as the encoder writes for a text, at a fraction of its cost: every message that is created pays
    /// it, and the encoder takes longer than SQLite takes for the row.
    static func encode(text: String) -> Data {
        var bytes = head
        bytes.reserveCapacity(head.count + text.utf8.count + tail.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                // RFC 8259 §7: control characters must be escaped.
                bytes += Array(#"\u00"#.utf8)
                bytes += [hex[Int(byte >> 4)], hex[Int(byte & 0xF)]]
            default: bytes.append(byte)
            }
        }
        return Data(bytes + tail)
    }

    /// The text of what ``encode(text:)`` wrote, when nothing in it had to be escaped; `nil` for everything else, which
    /// is for the general decoder. A message is read several times on its way, and the decoder is the costly part.
    static func decodeText(_ bytes: Data) -> String? { unsafe bytes.withUnsafeBytes { unsafe decodeText($0) } }

    /// Looks at the bytes where they lie: going through `Data` byte by byte takes longer than all the rest of a row.
    private static func decodeText(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= head.count + tail.count, unsafe bytes.starts(with: head) else { return nil }
        let end = bytes.count - tail.count
        guard unsafe bytes[end...].elementsEqual(tail) else { return nil }
        let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[head.count..<end])
        let isPlain = unsafe text.allSatisfy { byte in
            byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isPlain ? unsafe String(validating: text, as: UTF8.self) : nil
    }
}
