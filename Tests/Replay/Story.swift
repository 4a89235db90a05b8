/// A list of things that people, networks and servers do to one client, each of which ends where something can be
/// awaited; so that the end follows from the story, however long anything takes.
///
/// Messages are named by the order of their creation: 0, 1, 2 …
struct Story: Sendable, Hashable, CustomStringConvertible {
    enum Room: String, Sendable, Hashable, CaseIterable {
        case general, second
        /// The hub has no such channel.
        case nowhere
    }

    enum Line: String, Sendable, Hashable {
        /// Everything is carried.
        case up
        /// Everything is carried, a little at a time.
        case slow
        /// Everything is carried, each byte alone.
        case slices
        /// Nothing can be connected; what was open is closed.
        case cut
        /// Requests get through, answers do not.
        case mute
        /// Nothing gets through, and nobody is told.
        case blackHole

        /// Whether a delivery can end well.
        var isGood: Bool { self == .up || self == .slow || self == .slices }
    }

    /// What the hub, or the way to it, does with the next deliveries.
    enum Trouble: Sendable, Hashable {
        case answer(status: Int, code: String)
        case rateLimited
        /// It is applied, and the answer is lost.
        case lostAnswer
        /// It is cut off before anything is applied.
        case cutBefore
        /// A page that is not the hub's.
        case captivePortal
    }

    struct Draft: Sendable, Hashable {
        var room: Room
        var isCustom: Bool
        /// The message that it answers, unless that one is deleted.
        var parent: Int?
    }

    enum Step: Sendable, Hashable {
        case create(Draft)
        case delete(Int)
        /// Gives the message another content; does nothing when it is deleted.
        case edit(Int)
        /// Adds or takes back a reaction; does nothing when the message is deleted.
        case react(Int, name: String, isAdded: Bool)
        /// Does nothing unless it has failed.
        case resend(Int)
        case resendAll
        case deleteAllFailed
        case line(Line)
        /// The client's process ends and comes back.
        case restart(resumes: Bool)
        case restartHub
        /// Out, and, when the line is up again, in.
        case relogin
        /// Several at once, and so many deliveries that meet trouble.
        case trouble(Trouble, times: Int, [Draft])
        /// The token is refused until somebody logs in.
        case refusedToken(Draft)
        /// The next request arrives twice.
        case repeated(Draft)
        /// The last delivery that ended arrives once more.
        case lateCopy
    }

    let seed: UInt64
    var steps: [Step]

    var description: String {
        "story \(seed)\n" + steps.enumerated().map { "  \($0). \($1)" }.joined(separator: "\n")
    }
}
