/// The limits that both ends of the control socket know, with their units in their names.
package enum ControlLimits {
    /// Bytes of the body of one request.
    package static let bodyBytesMax = 8 * 1024 * 1024
    /// Bytes of the JSON before the bytes of a file in one request.
    package static let mediaHeadBytesMax = 64 * 1024
    /// Bytes of a file that are in memory at a time.
    package static let filePartBytes = 256 * 1024
    /// Messages in one request.
    package static let messagesPerRequestMax = 1000
    /// Identifiers in one resend or delete request.
    package static let idsPerRequestMax = 1000
    /// How long one request may wait for a result; clients then ask again.
    package static let waitSecondsMax = 20
    /// Concurrent watchers of the daemon's events.
    package static let watchersMax = 32
    /// The longest silence towards a watcher; after three times that, the watcher considers the daemon dead.
    package static let watchSilenceSecondsMax = 10
    /// Bytes of one event: the status of very many lanes.
    package static let eventBytesMax = 4 * 1024 * 1024
    /// Lanes whose heads are looked up for a status.
    package static let laneHeadsMax = 100
    /// Concurrent followers of a channel's messages.
    package static let followersMax = 32
    /// The longest silence towards a follower; after three times that, the follower considers the daemon dead.
    package static let followSilenceSecondsMax = 10
    /// How long a client waits for the first byte of a response: longer than any wait, and than a slow disk.
    package static let responseSecondsMax: Int64 = 120
    /// Bytes of a response that a client accepts: a full page of the longest messages.
    package static let responseBytesMax = 512 * 1024 * 1024
    /// Connections that one client keeps.
    package static let clientConnectionsMax = 4
    /// Bytes of a PEM file.
    package static let pemBytesMax = 1024 * 1024
    /// Bytes of the address of a server.
    package static let serverAddressBytesMax = 2048
    /// Bytes of a path in a request.
    package static let pathBytesMax = 4096
}
