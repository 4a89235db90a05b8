/// The latest of the server's timestamps on this account's operations that a message body includes. Responses and pages
/// may arrive in any order; an older one reverts nothing. Empty while no operation on the message is in the store.
package struct VersionClock: Sendable, Hashable, Codable {
    /// The server's acceptance of one operation of this account.
    package struct Stamp: Sendable, Hashable, Codable {
        package var at: Timestamp
        /// The operation's sequence in its lane: among operations of one store the higher one was requested later.
        package var sequence: Int64

        package init(at: Timestamp, sequence: Int64) {
            self.at = at
            self.sequence = sequence
        }
    }

    /// ``MessageBody/changedAt`` of the page that the body was read from.
    package var page: Timestamp?
    package var edit: Stamp?
    /// The last accepted operation on each reaction, by the reaction's name.
    package var reactions: [String: Stamp] = [:]

    package init() {}

    package var isEmpty: Bool { self == VersionClock() }

    /// Records an operation on a reaction.
    ///
    /// - Returns: false if the body already includes a later operation on this reaction.
    package mutating func admit(_ word: Stamp, on reaction: String) -> Bool {
        if let page, word.at <= page { return false }
        if let known = reactions[reaction], word.at <= known.at { return false }
        reactions[reaction] = word
        return true
    }
}
