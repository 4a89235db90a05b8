/// A journal of format version 1 as it was written when the format was new.
enum JournalVersion1 {
    static let hex = ""
}
