/// Whether the messages of a socket are being read, so that one reader at a time reads them and none is overlooked.
///
/// Pure: the session keeps it behind its lock.
///
/// ```
///  changed() ──▶ true: begin to read
///                  while lookAgain() { take all messages }
/// ```
package struct SocketReading: Sendable {
    package private(set) var isReading = false
    /// Whether the stream has changed since the reader looked at it.
    private var isDue = false

    package init() {}

    /// The stream has changed.
    ///
    /// - Returns: whether the caller is to read; another one does otherwise, and looks at the stream once more.
    package mutating func changed() -> Bool {
        isDue = true
        defer { isReading = true }
        return !isReading
    }

    /// Whether the reader looks at the stream once more; it has ended otherwise.
    package mutating func lookAgain() -> Bool {
        defer { isDue = false }
        isReading = isDue
        return isDue
    }

    /// The reader goes on elsewhere, before it has looked at everything.
    package mutating func passOn() { isDue = true }
}
