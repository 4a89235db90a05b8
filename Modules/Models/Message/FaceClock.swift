/// Which of the server's words on this account's operations a face knows. Answers and pages may come in any order; an
/// older one takes nothing back. Empty while no operation on the message is in the store.
package struct FaceClock: Sendable, Hashable, Codable {
    /// What the server took of this account.
    package struct Word: Sendable, Hashable, Codable {
        package var at: Timestamp
        /// The operation's place in its lane: those of one store tell what was wanted later.
        package var sequence: Int64

        package init(at: Timestamp, sequence: Int64) {
            self.at = at
            self.sequence = sequence
        }
    }

    /// ``MessageFace/changedAt`` of the page that the face was read from.
    package var page: Timestamp?
    package var edit: Word?
    /// By the reaction's name.
    package var reactions: [String: Word] = [:]

    package init() {}

    package var isEmpty: Bool { self == FaceClock() }

    /// - Returns: false when the face knows a later word on this reaction already.
    package mutating func admit(_ word: Word, on reaction: String) -> Bool {
        if let page, word.at <= page { return false }
        if let known = reactions[reaction], word.at <= known.at { return false }
        reactions[reaction] = word
        return true
    }
}
