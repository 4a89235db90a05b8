/// What a logout left behind.
package struct LogoutReport: Sendable, Hashable, Codable {
    /// Messages that had not been delivered; they are failed now (session ended).
    package let unsent: Int

    package init(unsent: Int) { self.unsent = unsent }
}
