/// The limits of a command, with their units in their names.
package enum CommandLineLimits {
    /// Bytes of text that a client puts into one request before it starts the next.
    package static let requestBytesWanted = 2 * 1024 * 1024
    /// Bytes that are read from a pipe at a time.
    package static let inputBytesPerRead = 256 * 1024
    /// How long a one-shot program waits for the results of the messages it sent.
    package static let lingerSeconds = 10
    /// Bytes of the longest extension, with its dot, that a name which is cut keeps.
    static let extensionBytesMax = 16
    /// Characters of a progress bar.
    static let progressColumns = 20
    /// The shortest time between two lines of progress.
    package static let progressMilliseconds = 100
    /// The time over which a rate is measured.
    static let rateSeconds = 5
}
