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

    /// Writes the same object as the encoder does for a text, at a fraction of its cost. Every created message pays
    /// this cost, and the encoder takes longer than SQLite takes for the row.
    static func encode(text: String) -> Data {
        var bytes = head
        bytes.reserveCapacity(head.count + text.utf8.count + tail.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                // RFC 8259 §7: control characters must be escaped.
                bytes += Array(#"\u00"#.utf8)
                bytes += [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 0xF)]
            default: bytes.append(byte)
            }
        }
        return Data(bytes + tail)
    }

    /// Returns the text that ``encode(text:)`` wrote if nothing in it had to be escaped; `nil` for everything else,
    /// which needs the general decoder. A message is read several times before it is delivered, and the decoder is the
    /// expensive part.
    static func decodeText(_ bytes: Data) -> String? { unsafe bytes.withUnsafeBytes { unsafe decodeText($0) } }

    /// Reads the bytes in place: iterating over `Data` byte by byte takes longer than the rest of a row.
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
