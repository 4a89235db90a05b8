/// A name chosen by users: 1 to `Limits.nameBytesMax` bytes of letters, digits, `.`, `_`, `-`, `@`, `:`.
///
/// The same rule holds for channels and users, on the client and on the hub.
public enum Name {
    /// Describes the problem with `text` as a name; `nil` if it is valid.
    public static func problem(with text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > Limits.nameBytesMax { return "is longer than \(Limits.nameBytesMax) bytes" }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "@"), UInt8(ascii: ":"):
                continue
            default:
                return "contains a character other than letters, digits and . _ - @ :"
            }
        }
        if text == "." || text == ".." { return "is a path, not a name" }
        return nil
    }
}
