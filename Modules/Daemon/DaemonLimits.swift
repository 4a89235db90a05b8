/// The limits of the daemon and of the access to its store, with their units in their names.
enum DaemonLimits {
    /// How long a command, and the daemon, wait for a store that another process holds.
    static let storeWaitSecondsOfCommand = 3
    static let storeWaitSecondsOfDaemon = 10
    /// How long the daemon may take to shut down before it is terminated.
    static let shutdownSecondsMax = 15
    /// Log lines for one commit; the rest is reported as a number.
    static let logLinesPerCommitMax = 100
    /// Commits that the log may lag behind.
    static let logCommitsMax = 4096
}
