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
}
