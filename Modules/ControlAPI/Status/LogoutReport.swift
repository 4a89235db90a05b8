/// The result of a logout.
package struct LogoutReport: Sendable, Hashable, Codable {
    /// The number of undelivered messages, which have now failed (session ended).
    package let unsent: Int

    package init(unsent: Int) { self.unsent = unsent }
}
