/// The end of a journal: where the next frame goes, and which number it gets.
struct JournalPosition: Sendable, Hashable {
    var file: UInt32
    var offset: Int64
    /// The number of the next frame.
    var number: UInt64

    /// The position after frames of a number and a size.
    func advanced(by bytes: Int, frames: Int) -> JournalPosition {
        JournalPosition(file: file, offset: offset + Int64(bytes), number: number + UInt64(frames))
    }
}
