package import CausewayHubRules
internal import CausewayModels
internal import CausewayWire

/// The limits of the hub, with their units in their names. The limits of messages are in `Limits`, those of its data in
/// `HubStorageLimits`.
package enum HubLimits {
    /// Different reactions to one message.
    package static let reactionNamesMax = 64

    // Size of a request

    /// Bytes of one header field, name and value.
    package static let headerFieldBytesMax = 16 * 1024
    /// Bytes of all header fields of a request.
    package static let headerListBytesMax = 32 * 1024
    /// Header fields of a request.
    package static let headerFieldsMax = 100
    /// Bytes of a request's body; part of the contract.
    package static let requestBytesMax = WireProtocol.requestBytesMax
    /// Bytes of a refused body that are read and discarded so that the client sees the refusal.
    package static let discardedBytesMax = 8 * 1024 * 1024
    /// Requests that may arrive on a connection before the first of them is answered; past it the connection is closed.
    package static let pipelinedRequestsMax = 16
    /// Nesting of the JSON in a body. A custom message may use `Limits.customDepthMax` of it.
    package static let jsonDepthMax = 64
    /// JSON values in a body. A client's largest batch, all of it arrays of one digit, holds fewer.
    package static let jsonValuesMax = 320 * 1024
    /// Bytes of one value in the query of a request for a list of records.
    static let queryValueBytesMax = 4 * 1024
    /// Operations in one delivery.
    package static let deliveryOperationsMax = 1024
    /// Bytes of a lane's name.
    package static let laneBytesMax = 200

    // Duration of a request

    /// From the connection to the end of the first request's header, TLS handshake included.
    package static let firstHeaderSecondsMax: Int64 = 15
    /// From the end of a request's header to the end of its body.
    package static let bodySecondsMax: Int64 = 60
    /// Until the client has read the next part of a response.
    package static let responseSecondsMax: Int64 = 60
    /// Without a request; also bounds how long the header of a later request may take.
    package static let idleSecondsMax: Int64 = 75
    /// From the start of the shutdown until connections that are still busy are closed.
    package static let shutdownSecondsMax: Int64 = 10

    // Concurrency

    /// Open connections; more wait in the system's queue until one closes.
    package static let connectionsMax = 1024
    /// Open connections of one address; past it the one that was idle longest is closed.
    package static let connectionsPerPeerMax = 256
    /// Open connections that one account has used, from all addresses; past it the one without a request for the
    /// longest time is closed.
    package static let connectionsPerAccountMax = 128
    /// Requests in progress of one account; past it the response is `503 busy`.
    package static let requestsPerAccountMax = 32
    /// Requests in progress of one address; past it the response is `503 busy`.
    static let requestsPerPeerMax = 128
    /// Connections that wait in the system's queue.
    package static let connectionBacklogMax = 256
    /// Bytes of the bodies of all requests that are being read or applied; past it the response is `503 busy`.
    package static let bodyBytesInFlightMax = 32 * 1024 * 1024
    /// The share of one account in these bytes.
    static let bodyBytesPerAccountMax = 8 * 1024 * 1024
    /// The share of one address in these bytes.
    static let bodyBytesPerPeerMax = 16 * 1024 * 1024
    /// Bytes of all responses that are being built or wait for their client to read them; past it the response is `503
    /// busy`.
    static let responseBytesInFlightMax = 32 * 1024 * 1024
    /// The share of one account in these bytes.
    package static let responseBytesPerAccountMax = 8 * 1024 * 1024
    /// The share of one address in these bytes.
    static let responseBytesPerPeerMax = 16 * 1024 * 1024
    /// Bytes of a response that are passed to a connection at a time.
    package static let responsePartBytes = 64 * 1024
    /// Bytes from which a response is compressed for clients that take it: fewer fit into one packet anyway.
    static let gzipBytesMin = 1024
    /// Bytes up to which a response is not counted.
    static let smallResponseBytesMax = 16 * 1024
    /// Approximate bytes of the response to one operation of a delivery; a reason may exceed it.
    static let resultBytes = 256
    /// Bytes of responses that the system buffers for a connection beyond those in transit.
    package static let unsentBytesMax = 128 * 1024
    /// Deliveries that wait for the writer; past it the response is `503 busy`.
    package static let deliveriesWaitingMax = 1024
    /// Operations that share one transaction, when several deliveries wait.
    package static let groupOperationsMax = 4096
    /// The size up to which a body is decoded where its request is handled, without waiting for its account's turn. A
    /// delivery of one short message takes about 60 µs.
    static let decodedInPlaceBytesMax = 4096
    /// Larger bodies that are decoded at the same time.
    static let decodersMax = 2
    /// Pages, messages and lists that are read at the same time.
    static let pagesMax = 4
    /// How long a delivery that arrived before its predecessor waits for it; past it the response is `gap`. Longer than
    /// it takes to open a connection with TLS at 400 ms round trip.
    package static let predecessorWait: Duration = .seconds(3)
    /// Requests of one account that wait for the same resource; past it the response is `503 busy`.
    package static let waitingPerAccountMax = 64

    // Events

    /// Readers of events that wait or stream; past it the response is `503 busy`. Less than the connections, so that
    /// deliveries find room.
    package static let eventReadersMax = 512
    /// Those of one account.
    package static let eventReadersPerAccountMax = 32
    /// Those of one address.
    package static let eventReadersPerPeerMax = 128
    /// Bytes of the topics that a request names; enough for as many of the longest.
    static let eventTopicsBytesMax = WireProtocol.eventTopicsMax * (Limits.nameBytesMax + 16)
    /// Topics of accounts without a reader that stay registered, and for how long.
    static let idleTopicsMax = 100_000
    static let idleTopicsSecondsMax: Int64 = 60
    /// Topics that are read from the storage at a time.
    static let changedTopicsMax = 1_000
    /// How often deadlines and commits of other processes are looked for.
    package static let eventCheckMilliseconds: Int64 = 500
    /// The time between two signs of life of a stream of events.
    package static let eventCommentSeconds: Int64 = 15
    /// Bytes of one part of a stream, which is sent before the next one is read; a single record may exceed it. On a
    /// socket, `WireSocket.partsUnreadMax` of them.
    package static let eventStreamPartBytesMax = 32 * 1024
    /// Bytes of server-sent events that the system buffers for a connection beyond those in transit: with the part that
    /// is being sent at most 64 KiB. The system counts in segments, and may exceed it by one of them.
    package static let eventStreamUnsentBytesMax = 16 * 1024
    /// Batches of queries of the log that are read at the same time; each returns at most two pages.
    package static let logBatchesMax = 2
    /// Bytes of encoded events that are kept for further readers, and of encoded parts.
    static let encodedEventsBytesMax = 2 * 1024 * 1024
    static let encodedPartsBytesMax = 512 * 1024
    /// Records in one part of a stream.
    static let eventStreamPartMax = 100
    /// Positions after which a reader of quiet topics is sent a new cursor, so that its cursor does not grow too old.
    static let eventCursorDistanceMax: Int64 = 10_000
    // Ephemeral events

    /// How long an account counts as typing after a signal.
    package static let typingSeconds: Int64 = 6
    /// How long an account counts as present after its last reader of ephemeral events has left.
    package static let presenceGraceSeconds: Int64 = 30
    /// Devices that are typing: in all, of one account, in one channel. Past it a signal is not shown.
    package static let typingMax = 10_000
    package static let typingPerAccountMax = 32
    package static let typingPerChannelMax = 20
    /// Accounts that are present: in all, and those that are shown in one channel.
    package static let presentMax = 2_000
    package static let presentPerChannelMax = 50
    /// Channels in which an account is shown as present: those that it joined first.
    package static let presentChannelsMax = 100
    /// Channels with ephemeral events, or with some that have ended lately.
    package static let ephemeralChannelsMax = 10_000
    /// Typing signals of one account in a burst, and how long it takes to earn one more.
    package static let typingSignalsMax = 20
    package static let typingSignalMilliseconds: Int64 = 500
    /// Times that the rights for one typing signal are read while memberships change; past it the signal is not shown.
    package static let typingChecksMax = 3
    /// Accounts whose typing signals are counted; past it all others share one count.
    static let typingAccountsMax = 10_000
    /// Bytes of the ephemeral events in one part; those of a single channel may exceed it.
    static let ephemeralPartBytesMax = 16 * 1024
    /// Bytes of the body of a typing signal.
    package static let typingBodyBytesMax = 1024
    /// Bytes of what a reader names as seen.
    static let ephemeralTokenBytesMax = 64

    // The log

    /// How often old entries of the log are dropped.
    package static let logTrimSeconds: Int64 = 600

    // Sockets

    /// Open sockets; past it the response is `503 busy`. Less than the connections, so that other requests find room.
    package static let socketsMax = 512
    /// Those of one account.
    package static let socketsPerAccountMax = 32
    /// Those of one address.
    package static let socketsPerPeerMax = 128
    /// Requests of one socket in progress; it is not read any further meanwhile.
    package static let socketRequestsMax = 16
    /// A message of a socket with at most this many bytes is read on the thread of its connection.
    static let socketShortMessageBytes = 128
    /// The time between two checks whether the token of a socket is still valid, and between two pings.
    package static let socketCheckSeconds: Int64 = 15
    package static let socketPingSeconds: Int64 = 20

    /// The time without a write after which the write-ahead log is emptied and memory is released.
    package static let restSeconds: Int64 = 10

    // Files

    /// Bytes of one file.
    package static let fileBytesMax: Int64 = 1 << 30
    /// Uploads of one account that are not complete; past it the response is `429 tooManyUploads`.
    package static let pendingUploadsMax = 5
    /// Bytes of the files that one account has uploaded, with those of its uploads that are not complete; past it the
    /// response is `507 quotaExceeded`.
    package static let quotaBytes: Int64 = 16 << 30
    /// Bytes that stay free on the disk of the blobs; an upload that needs them is refused with `507 storageFull`.
    package static let freeBytesMin: Int64 = 256 << 20
    /// How long an upload can be continued.
    package static let uploadSecondsMax: Int64 = 7 * 24 * 3600
    /// How long an upload must have received nothing before it makes room for another one of its account.
    package static let idleUploadSecondsMin: Int64 = 5 * 60
    /// How long a blob is kept that is attached to no message.
    package static let unattachedSecondsMax: Int64 = 24 * 3600
    /// Bytes in a second that a client has to send while the hub waits for them; below it the connection is closed.
    package static let uploadBytesPerSecondMin: Int64 = 1024
    /// The shortest wait after which a client can be too slow.
    package static let uploadGraceSeconds: Int64 = 30
    /// Requests that transfer content of uploads at the same time; past it the response is `503 busy`.
    static let transfersMax = 64
    /// Those of one account: one for each of its uploads, and one for an upload that is being created.
    static let transfersPerAccountMax = pendingUploadsMax + 1
    /// Bytes of a file that are written or read at a time.
    package static let filePartBytes = 256 * 1024
    /// Bytes of an upload after which they are synced, and its offset is reported.
    static let uploadSyncBytes = 4 * 1024 * 1024
    /// The time after which an offset is reported although fewer bytes came.
    static let uploadReportMilliseconds: Int64 = 1000
    /// Bytes of a declared media type.
    static let mediaTypeBytesMax = 255
    /// Characters of a file's name in a response.
    static let fileNameCharactersMax = 255
    /// `Cache-Control` of a blob, which never changes.
    static let blobCacheSeconds: Int64 = 365 * 24 * 3600
    /// How often expired uploads and blobs are removed.
    package static let expirySeconds: Int64 = 600
    /// Uploads and blobs that are read from the storage at a time to find those.
    static let expiredPerReadMax = 256
    /// `Retry-After` of a response to an upload too many.
    static let uploadRetrySeconds = 30

    // Storage and responses

    /// Channels that one address creates in a burst, with all its accounts, and how long it takes to earn one more.
    package static let newChannelsPerPeerMax = 2_000
    package static let newChannelSeconds: Int64 = 60
    /// Attempts of the operator to remove a channel while its members change.
    static let channelRemovalsMax = 20
    /// Ids of deleted messages in one line of the log.
    static let loggedIDsMax = 8
    /// Bytes of the messages in one page, which ends early rather than exceed it; a single message is always included.
    package static let pageBytesMax = 1024 * 1024
    /// Characters of an error's text.
    package static let detailCharactersMax = 400

    // Guessing of tokens

    /// Failed authentications of one peer in a row before it is told to wait.
    package static let failedAttemptsMax = 20
    /// How long it takes a peer to earn one more failed attempt.
    package static let failedAttemptSeconds: Int64 = 3
    /// Peers whose failed attempts are counted; past it all others share one count.
    package static let peersTrackedMax = 10_000

    // Waiting

    /// `Retry-After` of a response that reports overload.
    package static let busyRetrySeconds = 1
    /// `Retry-After` while the storage is being reopened.
    static let recoveryRetrySeconds = 5
    /// `Retry-After` of a response that reports a full disk.
    package static let fullRetrySeconds = 30
}

extension BlobLimits {
    /// The limits of `HubLimits`.
    package static let hub = BlobLimits(
        fileBytesMax: HubLimits.fileBytesMax, pendingUploadsMax: HubLimits.pendingUploadsMax,
        quotaBytes: HubLimits.quotaBytes, freeBytesMin: HubLimits.freeBytesMin,
        uploadSecondsMax: HubLimits.uploadSecondsMax, idleSecondsMin: HubLimits.idleUploadSecondsMin,
        unattachedSecondsMax: HubLimits.unattachedSecondsMax,
        bytesPerSecondMin: HubLimits.uploadBytesPerSecondMin)
}
