/// The bounds of the control socket and its service, with their units in their names.
package enum ControlLimits {
    /// The body of one request.
    package static let bodyBytesMax = 8 * 1024 * 1024
    /// Field names and values of one request together, and any one of them.
    static let headerBytesMax = 16 * 1024
    static let headerFieldsMax = 64
    /// Connections at once; more wait in the kernel's queue.
    static let connectionsMax = 256
    /// From a connection's opening, or its last answer, until the next request has arrived whole.
    static let requestSecondsMax: Int64 = 60
    /// Messages in one request.
    package static let messagesPerRequestMax = 1000
    /// Bytes of text that a client puts into one request before it begins the next.
    package static let requestBytesWanted = 2 * 1024 * 1024
    /// Identifiers in one request to resend or delete.
    package static let idsPerRequestMax = 1000
    /// How long one request may wait for a result; clients ask again.
    package static let waitSecondsMax = 20
    /// Those who follow the daemon's events at the same time.
    package static let watchersMax = 32
    /// How often it is looked whether there was a change, and after how many looks the whole status is compared.
    static let watchTickMilliseconds = 100
    static let watchTicksPerLook = 10
    /// The longest silence towards who watches; three times that, and the watcher takes the daemon for dead.
    static let watchSilenceSecondsMax = 10
    /// Bytes of one event: the status of a great many lanes.
    static let eventBytesMax = 4 * 1024 * 1024
    /// Lanes whose heads are looked up for a status.
    static let laneHeadsMax = 100
    /// How many pages, the longest of a thousand, are looked through for one page of a channel and a state.
    static let looksPerPageMax = 5
    /// Those who follow the messages of a channel at the same time.
    package static let followersMax = 32
    /// How often it is looked why followed messages wait: that changes without a commit.
    static let followLookSeconds = 1
    /// The longest silence towards a follower; three times that, and the follower takes the daemon for dead.
    static let followSilenceSecondsMax = 10
    /// How long a client waits for an answer's first byte: longer than any wait, and than a slow disk.
    package static let answerSecondsMax: Int64 = 120
    /// Bytes of an answer that a client takes: a full page of the longest messages.
    static let answerBytesMax = 512 * 1024 * 1024
    /// Connections that one client holds.
    package static let clientConnectionsMax = 4
    /// Bytes of a PEM file.
    package static let pemBytesMax = 1024 * 1024
    /// Bytes of a configuration file.
    static let configurationBytesMax = 1024 * 1024
    /// Bytes in the path of a Unix socket: what `sockaddr_un` holds on every system, less the final zero.
    static let socketPathBytesMax = 103
    /// How long a command, and the daemon, wait for a store that another process has.
    static let storeWaitSecondsOfCommand = 3
    static let storeWaitSecondsOfDaemon = 10
    /// How long the daemon may take to end before it is ended.
    static let shutdownSecondsMax = 15
    /// Bytes that are read from a pipe at once.
    static let inputBytesPerRead = 256 * 1024
    /// How long a one-shot program waits for the results of what it sent.
    package static let lingerSeconds = 10
    /// Lines of the log that one commit may fill; the rest is a number.
    static let logLinesPerCommitMax = 100
    /// Commits that the log may be behind.
    static let logCommitsMax = 4096

    /// The longest expiry that can be set: a leap year.
    static let expiryMax: Duration = .seconds(366 * 86_400)
}
