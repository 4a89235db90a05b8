/// The history of a server's data, as a response of the server named it.
///
/// A server whose data was restored from a backup, or created anew, continues under another history. A client keeps the
/// last history that it saw and names it in every request, so that both sides notice when acknowledged data is gone.
public struct ServerHistory: Sendable, Hashable, Codable {
    /// The identity of the server; another server under the same address has another one.
    public var server: String
    /// The identity of the history; changes when the server has lost data that it had acknowledged.
    public var id: String
    /// The server's opening of its data in which it responded; `nil` if the server does not say. Commits of different
    /// openings cannot be compared: data that was put back counts the same numbers again.
    public var opening: String?
    /// The server's commit counter; grows as long as the opening lasts.
    public var commit: Int64
    /// An opaque string from the server, which is sent back unchanged.
    public var claim: String

    /// Creates a history as a response names it; `opening` is `nil` for a server that does not report it.
    public init(server: String, id: String, opening: String? = nil, commit: Int64, claim: String) {
        self.server = server
        self.id = id
        self.opening = opening
        self.commit = commit
        self.claim = claim
    }

    /// False if the two belong to different histories.
    public func isSame(as other: ServerHistory) -> Bool { server == other.server && id == other.id }

    /// The history to keep after a response, if this one was kept until then; `nil` if the response confirms nothing.
    ///
    /// A server whose data was put back unnoticed counts the lost commits again, in another opening. So a response of
    /// another opening than the kept one counts only if its request named the kept one, which the server then has
    /// checked: else a late response would confirm data that is lost already, or an early one would hide the loss.
    ///
    /// - Parameters:
    ///   - seen: the history that the response names.
    ///   - named: the history that its request named.
    package func advanced(by seen: ServerHistory, named: ServerHistory?) -> ServerHistory? {
        guard isSame(as: seen) else { return nil }
        if seen.opening == opening { return seen.commit > commit ? seen : self }
        guard let named, isSame(as: named), named.opening == opening, named.commit >= commit else { return nil }
        return seen
    }
}
