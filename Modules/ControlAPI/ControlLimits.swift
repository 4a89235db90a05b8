/// The limits of the control socket and its service, with their units in their names.
package enum ControlLimits {
    /// Bytes of the body of one request.
    package static let bodyBytesMax = 8 * 1024 * 1024
    /// Bytes of the field names and values of one request together, and of any one of them.
    static let headerBytesMax = 16 * 1024
    static let headerFieldsMax = 64
    /// Concurrent connections; more wait in the kernel's queue.
    static let connectionsMax = 256
    /// From a connection's opening, or its last response, until the next request has arrived in full.
    static let requestSecondsMax: Int64 = 60
    /// Messages in one request.
    package static let messagesPerRequestMax = 1000
    /// Bytes of text that a client puts into one request before it starts the next.
    package static let requestBytesWanted = 2 * 1024 * 1024
    /// Identifiers in one resend or delete request.
    package static let idsPerRequestMax = 1000
    /// How long one request may wait for a result; clients then ask again.
    package static let waitSecondsMax = 20
    /// Concurrent watchers of the daemon's events.
    package static let watchersMax = 32
    /// How often a watch checks for a change, and after how many checks it compares the whole status.
    static let watchTickMilliseconds = 100
    static let watchTicksPerLook = 10
    /// The longest silence towards a watcher; after three times that, the watcher considers the daemon dead.
    static let watchSilenceSecondsMax = 10
    /// Bytes of one event: the status of very many lanes.
    static let eventBytesMax = 4 * 1024 * 1024
    /// Lanes whose heads are looked up for a status.
    static let laneHeadsMax = 100
    /// How many pages, the longest of a thousand, are searched for one page of a channel and a state.
    static let looksPerPageMax = 5
    /// Concurrent followers of a channel's messages.
    package static let followersMax = 32
    /// How often the wait reasons of followed messages are checked, which change without a commit.
    static let followLookSeconds = 1
    /// The longest silence towards a follower; after three times that, the follower considers the daemon dead.
    static let followSilenceSecondsMax = 10
    /// How long a client waits for the first byte of a response: longer than any wait, and than a slow disk.
    package static let answerSecondsMax: Int64 = 120
    /// Bytes of a response that a client accepts: a full page of the longest messages.
    static let answerBytesMax = 512 * 1024 * 1024
    /// Connections that one client keeps.
    package static let clientConnectionsMax = 4
    /// Bytes of a PEM file.
    package static let pemBytesMax = 1024 * 1024
    /// Bytes of a configuration file.
    static let configurationBytesMax = 1024 * 1024
    /// Bytes in the path of a Unix socket: the size of `sockaddr_un` on every system, less the final zero.
    static let socketPathBytesMax = 103
    /// How long a command, and the daemon, wait for a store that another process holds.
    static let storeWaitSecondsOfCommand = 3
    static let storeWaitSecondsOfDaemon = 10
    /// How long the daemon may take to shut down before it is terminated.
    static let shutdownSecondsMax = 15
    /// Bytes that are read from a pipe at a time.
    static let inputBytesPerRead = 256 * 1024
    /// How long a one-shot program waits for the results of the messages it sent.
    package static let lingerSeconds = 10
    /// Log lines for one commit; the rest is reported as a number.
    static let logLinesPerCommitMax = 100
    /// Commits that the log may lag behind.
    static let logCommitsMax = 4096

    /// The longest expiry that can be set: a leap year.
    static let expiryMax: Duration = .seconds(366 * 86_400)
}
