/// Every bound of the status page, with its unit in its name.
package enum StatusPageLimits {
    // What one request may be

    /// Bytes of one header field, and of all of a request together.
    package static let headerBytesMax = 16 * 1024
    package static let headerFieldsMax = 64
    /// Bytes of a form: the ids of a full page, and its secrets.
    package static let formBytesMax = 64 * 1024
    /// Fields of a form or a query.
    package static let formFieldsMax = 512
    /// Messages that one form names.
    package static let chosenMax = 200
    /// Bytes of a refused form that are read and thrown away so that the browser sees the refusal.
    static let discardedBytesMax = 1024 * 1024
    /// Requests that may come before the first of them is answered.
    static let pipelinedRequestsMax = 16
    /// Bytes of answers that the system takes beyond those that are on their way.
    static let unsentBytesMax = 128 * 1024

    // How long one may take

    static let firstHeaderSecondsMax: Int64 = 10
    static let bodySecondsMax: Int64 = 15
    static let answerSecondsMax: Int64 = 60
    static let idleSecondsMax: Int64 = 75
    /// How long the page waits for an answer of the daemon before it says that there is none.
    package static let daemonSecondsMax: Int64 = 8
    /// How long an action may take in the daemon: deleting a great many messages takes its time.
    package static let actionSecondsMax: Int64 = 110
    /// From the wish to stop until connections that still work are cut.
    package static let shutdownSecondsMax: Int64 = 5

    // How many at once

    static let connectionsMax = 512
    static let connectionBacklogMax = 256
    /// Connections to the daemon for reading.
    package static let daemonConnectionsMax = 16
    /// Browsers that follow the events.
    package static let listenersMax = 64
    /// How long one browser follows before it must ask anew, and show again that it is logged in.
    static let listeningSecondsMax = 600
    /// How soon the daemon is looked for again; and when it has too many that watch it.
    static let lookAgainMilliseconds = 500
    static let lookAgainBusyMilliseconds = 5000
    /// The longest silence towards a browser; the script takes three times that for the end of the page.
    package static let eventSilenceSecondsMax = 10

    // What is shown

    /// Rows of a page, when nobody chooses.
    package static let rowsDefault = 50
    package static let rowsChoices = [20, 50, 100, 200]
    /// Unicode scalars of a text or an error in a list.
    package static let previewScalarsMax = 240
    /// Lanes of the overview.
    static let lanesShownMax = 50
    /// Messages that a question lists before it says how many more.
    static let listedMax = 20
    /// Of how many of the last deletions it is told when one of their messages is looked up.
    static let deletionsSearchedMax = 1000
    /// Rows of the CSV file that are asked for at a time.
    static let csvRowsPerStep = 1000
    /// Things that were done and not yet told.
    static let noticesMax = 256

    // Who may see it

    /// Bytes of the page's token: shorter ones can be guessed.
    package static let tokenBytesMin = 16
    package static let tokenBytesMax = 4096
    /// Wrong tokens of one peer in a row before it is told that there were too many, and how long one counts.
    static let failedLoginsMax = 5
    static let failedLoginSeconds: Int64 = 20
    static let peersTrackedMax = 10_000
    /// From one token that is judged to the next, whoever gives them.
    static let loginIntervalMilliseconds = 10
    /// Logins at the same time; a further one ends the oldest.
    package static let sessionsMax = 256
    /// How long a login lasts, and how long without a request.
    static let sessionSecondsMax: Int64 = 12 * 3600
    static let sessionIdleSecondsMax: Int64 = 2 * 3600
}
