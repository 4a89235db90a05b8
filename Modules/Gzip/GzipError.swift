/// The reason why bytes cannot be decompressed.
package enum GzipError: Error, Sendable, Hashable {
    /// They are no gzip file, are damaged or end early, or something follows the file.
    case malformed
    /// The content is larger than the limit.
    case tooLarge(bytesMax: Int)
}

extension GzipError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "the bytes are not one complete gzip file"
        case .tooLarge(let bytesMax): "the content is larger than \(bytesMax) bytes"
        }
    }
}
