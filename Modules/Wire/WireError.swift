/// The body of every response that is not 2xx.
package struct WireError: Sendable, Hashable, Codable, Error {
    /// A machine-readable code: `tokenRefused`, `superseded`, `storeForked`, `historyChanged`, `channelNotFound`,
    /// `busy`, ….
    package var code: String
    /// A description for users: the event, its subject, and the remedy.
    package var detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
