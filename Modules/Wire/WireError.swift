/// The body of every answer that is not 2xx.
package struct WireError: Sendable, Hashable, Codable, Error {
    /// For programs: `tokenRefused`, `superseded`, `storeForked`, `historyChanged`, `channelNotFound`, `busy`, ….
    package var code: String
    /// For people: what happened, to what, and what to do.
    package var detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
