/// The bounds of the inspection of one file.
enum MediaLimits {
    /// Bytes that the first read asks for: most files need no other.
    static let headBytes = 16_384
    /// Bytes that a later read asks for, unless more are needed at once.
    static let windowBytes = 4_096
    /// Bytes at the end of an Ogg file in which its last page begins: the largest page, and its header.
    static let oggTailBytes = 65_536
    /// Reads of a file.
    static let readsMax = 64
    /// Bytes read of a file.
    static let bytesMax = 262_144
    /// Values looked at in one file, wherever they are.
    static let stepsMax = 16_384
    /// Bytes after an ID3 tag, or at the start of a file, in which the first frame of an MP3 file begins.
    static let mp3SearchBytes = 4_096
    /// ID3 tags in front of the first frame.
    static let id3TagsMax = 4
    /// Entries of the first directory of a picture's EXIF data.
    static let exifEntriesMax = 256
    /// Tracks of a movie that are looked at.
    static let tracksMax = 32
}
