/// The limits of the status page, with their units in their names.
package enum StatusPageLimits {
    // Size of a request

    /// Bytes of one header field, and of all fields of a request together.
    package static let headerBytesMax = 16 * 1024
    package static let headerFieldsMax = 64
    /// Bytes of a form: the ids of a full page, and its secrets.
    package static let formBytesMax = 64 * 1024
    /// Fields of a form or a query.
    package static let formFieldsMax = 512
    /// Messages that one form may name.
    package static let chosenMax = 200
    /// Bytes of a refused form that are read and discarded so that the browser sees the refusal.
    static let discardedBytesMax = 1024 * 1024
    /// Requests that may arrive before the first of them is answered.
    static let pipelinedRequestsMax = 16
    /// Bytes of responses that the system buffers beyond those in transit.
    static let unsentBytesMax = 128 * 1024

    // Duration of a request

    static let firstHeaderSecondsMax: Int64 = 10
    static let bodySecondsMax: Int64 = 15
    static let responseSecondsMax: Int64 = 60
    static let idleSecondsMax: Int64 = 75
    /// How long the page waits for a response of the daemon before it reports that there is none.
    package static let daemonSecondsMax: Int64 = 8
    /// How long an action may take in the daemon: deleting very many messages takes long.
    package static let actionSecondsMax: Int64 = 110
    /// From the start of the shutdown until connections that are still busy are closed.
    package static let shutdownSecondsMax: Int64 = 5

    // Concurrency

    static let connectionsMax = 512
    static let connectionBacklogMax = 256
    /// Connections to the daemon for reading.
    package static let daemonConnectionsMax = 16
    /// Browsers that follow the events.
    package static let listenersMax = 64
    /// How long one browser follows the events before it must reconnect, and prove its login again.
    static let listeningSecondsMax = 600
    /// The pause before the next attempt to reach the daemon; and the one when it has too many watchers.
    static let lookAgainMilliseconds = 500
    static let lookAgainBusyMilliseconds = 5000
    /// The longest silence towards a browser; after three times that, the script considers the page dead.
    package static let eventSilenceSecondsMax = 10

    // Content

    /// Rows of a page by default.
    package static let rowsDefault = 50
    package static let rowsChoices = [20, 50, 100, 200]
    /// Unicode scalars of a text or an error in a list.
    package static let previewScalarsMax = 240
    /// Lanes in the overview.
    static let lanesShownMax = 50
    /// Messages that a question lists before it gives the number of the rest.
    static let listedMax = 20
    /// The number of last deletions that are searched for a missing message.
    static let deletionsSearchedMax = 1000
    /// Rows of the CSV file that are fetched at a time.
    static let csvRowsPerStep = 1000
    /// Results of actions that have not been shown yet.
    static let noticesMax = 256

    // Access

    /// Bytes of the page's token: shorter ones can be guessed.
    package static let tokenBytesMin = 16
    package static let tokenBytesMax = 4096
    /// Wrong tokens of one peer in a row before the limit is reported, and how long each counts.
    static let failedLoginsMax = 5
    static let failedLoginSeconds: Int64 = 20
    static let peersTrackedMax = 10_000
    /// The pause between the checks of two tokens, for all peers together.
    static let loginIntervalMilliseconds = 10
    /// Tokens that wait for their check, of all peers and of one.
    static let loginsWaitingMax = 256
    static let loginsWaitingPerPeerMax = 64
    /// Concurrent logins; a further one ends the oldest.
    package static let sessionsMax = 256
    /// How long a login lasts, and how long without a request.
    static let sessionSecondsMax: Int64 = 12 * 3600
    static let sessionIdleSecondsMax: Int64 = 2 * 3600
}
