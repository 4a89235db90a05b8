/// Notes whether the system takes bytes from a connection: a client that reads slowly makes progress long before it has
/// read a large part as a whole. Pure.
///
/// The connection holds at least the written bytes that were not taken, and those of the protocols around them. So what
/// is noted has happened, and a few bytes that were taken may go unnoticed until the next look.
package struct OutputProgress: Sendable, Hashable {
    private var buffered = 0
    private var written = 0

    /// The state of a connection that holds nothing.
    package init() {}

    /// Bytes were passed to the connection.
    package mutating func wrote(_ bytes: Int) { written += bytes }

    /// Whether bytes were taken since the last look.
    ///
    /// - Parameter buffered: the bytes that the connection holds.
    package mutating func look(buffered: Int) -> Bool {
        defer {
            self.buffered = buffered
            written = 0
        }
        return buffered < self.buffered + written
    }
}
