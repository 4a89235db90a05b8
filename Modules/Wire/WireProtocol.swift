/// The contract between client and hub: version, paths and headers. JSON over HTTP; see `WireDelivery` for the central
/// request.
package enum WireProtocol {
    /// Sent by the hub in every response; a response without it does not come from the hub (but from a captive portal
    /// or a proxy).
    package static let header = "Causeway-Protocol"
    package static let version = "1"
    /// The history of the hub's data, in responses to an account and in its requests; see `WireHistory`. A client that
    /// sends none is served as before histories existed.
    package static let historyHeader = "Causeway-History"

    /// `POST`: an ordered batch.
    package static let deliveriesPath = "/v1/deliveries"
    /// `GET ?outbox=`: the user of the token, and, if the request names another history than the hub's, the marks of
    /// the lanes of that outbox.
    package static let sessionPath = "/v1/session"
    /// `PUT` creates a public channel with the account as its owner (idempotent); the response is a `WireRecord`.
    package static func channelPath(_ channel: String) -> String { "/v1/channels/\(channel)" }
    /// `GET ?limit=&after=&before=&type=&parent=&includingTag=&excludingTag=&deleted=`: a page by position, of messages
    /// of a type, of the replies to a message (``noParent`` for messages that are no replies), or of messages with one
    /// of the tags or without any of the tags, which may be given several times. With `deleted=1` deleted messages are
    /// listed, too.
    package static func messagesPath(_ channel: String) -> String { "/v1/channels/\(channel)/messages" }
    /// The value of `parent` for messages that are no replies.
    package static let noParent = "none"
    /// A tag of which messages have at least one.
    package static let includingTag = "includingTag"
    /// A tag of which messages have none.
    package static let excludingTag = "excludingTag"
    /// 1 for pages that list deleted messages; a hub that does not know it lists none.
    package static let includingDeleted = "deleted"
    /// `GET ?since=&from=&through=&open=&limit=`: the changes of a part of the channel since it was read.
    package static func changesPath(_ channel: String) -> String { "/v1/channels/\(channel)/changes" }
    /// `PUT`: a typing signal, a `WireTyping`; the response is a `WireTypingResult`.
    package static func typingPath(_ channel: String) -> String { "/v1/channels/\(channel)/typing" }
    /// `GET`: one message.
    package static func messagePath(_ message: String) -> String { "/v1/messages/\(message)" }
    /// `GET`: one record, a `WireRecord`. The id is percent-encoded, with its slashes.
    package static func recordPath(_ kind: String, _ id: String) -> String { "/v1/records/\(kind)/\(id)" }
    /// `GET ?list=&scope=&after=&order=&limit=`: a page of a list of records, a `WireRecordPage`.
    package static func recordsPath(_ kind: String) -> String { "/v1/records/\(kind)" }
    /// `GET ?cursor=&wait=&limit=&topics=&ephemeral=`: the next part of the log, a `WireEvents`, or a stream of
    /// server-sent events.
    package static let eventsPath = "/v1/events"
    /// Seconds that a request for events waits at most.
    package static let eventsWaitMax = 30
    /// Topics that a request for events names.
    package static let eventTopicsMax = 64
    /// Records in one part of the log.
    package static let eventsMax = 1000
    /// `OPTIONS`: the limits of files. `POST`: begins an upload (draft-ietf-httpbis-resumable-upload).
    package static let uploadsPath = "/v1/uploads"
    /// `HEAD`: the offset. `PATCH`: continues at it; the response to the last one is a `WireReceipt`. `DELETE`.
    package static func uploadPath(_ upload: String) -> String { "/v1/uploads/\(upload)" }
    /// `HEAD`: whether the account may read the file. `GET ?message=`: the file.
    package static func blobPath(_ sha256: String) -> String { "/v1/blobs/\(sha256)" }
    /// `GET`, without a token: the description of the hub's requests, an OpenAPI 3.1 document.
    package static let contractPath = "/v1/openapi.json"
    /// `GET`, without a token.
    package static let healthPath = "/healthz"

    /// Bytes of a request's body that the hub accepts.
    package static let requestBytesMax = 4 * 1024 * 1024
    /// Bytes of a response's body that the client accepts.
    package static let responseBytesMax = 64 * 1024 * 1024
}
