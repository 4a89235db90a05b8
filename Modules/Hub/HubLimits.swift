internal import CausewayWire

/// Every bound of the hub in one place, with its unit in its name. The bounds of messages are in `Limits`.
package enum HubLimits {
    /// Different reactions to one message.
    package static let reactionNamesMax = 64
    /// Deletions of messages that have not arrived, remembered for each account; the oldest go.
    package static let earlyDeletionsPerAccountMax = 2_000
    // What one request may be

    /// Bytes of one header field, name and value.
    package static let headerFieldBytesMax = 16 * 1024
    /// Bytes of all header fields of a request.
    package static let headerListBytesMax = 32 * 1024
    /// Header fields of a request.
    package static let headerFieldsMax = 100
    /// Bytes of a request's body; part of the contract.
    package static let requestBytesMax = WireProtocol.requestBytesMax
    /// Bytes of a refused body that are read and thrown away so that the client sees the refusal.
    package static let discardedBytesMax = 8 * 1024 * 1024
    /// Requests that may come over a connection before the first of them is answered; past it the connection is closed.
    package static let pipelinedRequestsMax = 16
    /// Nesting of the JSON in a body. A custom message may use `Limits.customDepthMax` of it.
    package static let jsonDepthMax = 64
    /// JSON values in a body. A client's largest batch, all of it arrays of one digit, holds fewer.
    package static let jsonValuesMax = 320 * 1024
    /// Operations in one delivery.
    package static let deliveryOperationsMax = 1024
    /// Bytes of a lane's name.
    package static let laneBytesMax = 200

    // How long one may take

    /// From the connection to the end of the first request's header, TLS handshake included.
    package static let firstHeaderSecondsMax: Int64 = 15
    /// From the end of a request's header to the end of its body.
    package static let bodySecondsMax: Int64 = 60
    /// Until the client has taken the next part of an answer.
    package static let answerSecondsMax: Int64 = 60
    /// Without a request; bounds also how long the header of a later request may take.
    package static let idleSecondsMax: Int64 = 75
    /// From the wish to stop until connections that still work are cut.
    package static let shutdownSecondsMax: Int64 = 10

    // How many at once

    /// Open connections; more wait in the system's queue until one closes.
    package static let connectionsMax = 1024
    /// Open connections of one address; past it the one that was idle for the longest time is closed.
    package static let connectionsPerPeerMax = 256
    /// Open connections that one account has used, from whatever addresses; past it the one without a request for the
    /// longest time is closed.
    package static let connectionsPerAccountMax = 128
    /// Requests of one account that are being dealt with; past it the answer is `503 busy`.
    static let requestsPerAccountMax = 32
    /// The same of one address.
    static let requestsPerPeerMax = 128
    /// Connections that wait in the system's queue.
    package static let connectionBacklogMax = 256
    /// Bytes of the bodies of all requests that are being read or applied; past it the answer is `503 busy`.
    package static let bodyBytesInFlightMax = 32 * 1024 * 1024
    /// The same of one account.
    static let bodyBytesPerAccountMax = 8 * 1024 * 1024
    /// The same of one address.
    static let bodyBytesPerPeerMax = 16 * 1024 * 1024
    /// Bytes of all answers that are being made or wait for their client to take them; past it the answer is
    /// `503 busy`.
    static let answerBytesInFlightMax = 32 * 1024 * 1024
    /// The same of one account.
    package static let answerBytesPerAccountMax = 8 * 1024 * 1024
    /// The same of one address.
    static let answerBytesPerPeerMax = 16 * 1024 * 1024
    /// Bytes of an answer that are given to a connection at once.
    package static let answerPartBytes = 64 * 1024
    /// Bytes up to which an answer is not counted.
    static let smallAnswerBytesMax = 16 * 1024
    /// Bytes that the answer to one operation of a delivery takes up, give or take a reason.
    static let resultBytes = 256
    /// Bytes of answers that the system takes of a connection beyond those that are on their way.
    package static let unsentBytesMax = 128 * 1024
    /// Deliveries that wait for the writer; past it the answer is `503 busy`.
    package static let deliveriesWaitingMax = 1024
    /// Operations that share one transaction, when several deliveries wait.
    package static let groupOperationsMax = 4096
    /// Bodies that are decoded at the same time.
    static let decodersMax = 2
    /// Pages, messages and lists that are read at the same time.
    static let pagesMax = 4
    /// Requests of one account that wait for their turn at the same thing; past it the answer is `503 busy`.
    static let waitingPerAccountMax = 64
    /// Connections to the database that read.
    package static let readersMax = 8

    /// Memory of the writer's page cache, so that the index of ids is not read from the disk again and again.
    package static let writerCacheKibibytes = 32 * 1024
    /// Bytes of the write-ahead log's file that are kept when it begins anew.
    static let logBytesKept = 1024 * 1024
    /// Without a write for so long, the write-ahead log is emptied and memory is given back.
    package static let restSeconds: Int64 = 10
    /// Pages of 4 KiB in the write-ahead log before they are moved into the database.
    package static let checkpointPages = 4000

    // What is kept and shown

    /// Channels of a hub.
    package static let channelsMax = 10_000
    /// Channels that one account has made.
    package static let channelsPerAccountMax = 500
    /// Channels that one address makes at once, with whatever accounts, and how long it takes to earn one more.
    package static let newChannelsPerPeerMax = 2_000
    package static let newChannelSeconds: Int64 = 60
    /// Starts of the hub that it remembers in its history.
    static let startsKeptMax = 10_000
    /// Lanes of an outbox that are named to a client that must know where they stand.
    static let marksMax = 10_000
    /// Ids of deleted messages in one line of the log.
    static let loggedIDsMax = 8
    /// Accounts of a hub, removed ones included.
    package static let accountsMax = 100_000
    /// Bytes of the messages in one page, which stops short of its limit rather than pass it; one alone always goes.
    package static let pageBytesMax = 1024 * 1024
    /// Changed messages of a channel, wherever they lie, that are looked at for one answer; past it pages are read.
    static let changesScannedMax = 10_000
    /// Openings of the database whose revisions are known; cursors of earlier ones lead to pages.
    static let openingsKeptMax = 1000
    /// Characters of an error's text.
    package static let detailCharactersMax = 400

    // Who guesses tokens

    /// Failed authentications of one peer in a row before it is told to wait.
    package static let failedAttemptsMax = 20
    /// How long it takes a peer to earn one more failed attempt.
    package static let failedAttemptSeconds: Int64 = 3
    /// Peers whose failed attempts are counted; past it all others share one count.
    package static let peersTrackedMax = 10_000

    // Waiting for others

    /// How long a writer waits for another process that writes to the same database, such as `account add`.
    package static let databaseBusySecondsMax = 5
    /// `Retry-After` of an answer that says the hub has too much to do.
    package static let busyRetrySeconds = 1
    /// `Retry-After` while the storage is opened anew.
    static let recoveryRetrySeconds = 5
    /// Pause after the first attempt to open the storage anew that failed; each further one doubles it.
    static let recoverySecondsMin = 1
    /// How often that pause is doubled.
    static let recoveryDoublingsMax = 5
    /// The longest pause between two attempts.
    static let recoverySecondsMax = 30
    /// `Retry-After` of an answer that says the hub's disk is full.
    package static let fullRetrySeconds = 30
}
