/// A list of acts of users, networks and servers on one client, each of which ends where something can be awaited;
/// therefore the end follows from the scenario, however long anything takes.
///
/// Messages are named by the order of their creation: 0, 1, 2 …
struct Scenario: Sendable, Hashable, CustomStringConvertible {
    enum Room: String, Sendable, Hashable, CaseIterable {
        case general, second
        /// A channel that the hub does not have.
        case nowhere
    }

    enum Line: String, Sendable, Hashable {
        /// Everything is carried.
        case up
        /// Everything is carried, a little at a time.
        case slow
        /// Everything is carried, each byte separately.
        case slices
        /// Nothing can be connected; open connections are closed.
        case cut
        /// Requests get through, responses do not.
        case mute
        /// Nothing gets through, without an error.
        case blackHole

        /// Whether a delivery can succeed.
        var isGood: Bool { self == .up || self == .slow || self == .slices }
    }

    /// A fault of the hub, or of its connection, for the next deliveries.
    enum Trouble: Sendable, Hashable {
        case respond(status: Int, code: String)
        case rateLimited
        /// The delivery is applied, and the response is lost.
        case lostAnswer
        /// The connection is cut before anything is applied.
        case cutBefore
        /// A page that is not the hub's.
        case captivePortal
    }

    struct Draft: Sendable, Hashable {
        var room: Room
        var isCustom: Bool
        /// The message that it replies to, unless that one is deleted.
        var parent: Int?
    }

    enum Step: Sendable, Hashable {
        case create(Draft)
        case delete(Int)
        /// Gives the message another content; does nothing when it is deleted.
        case edit(Int)
        /// Adds or removes a reaction; does nothing when the message is deleted.
        case react(Int, name: String, isAdded: Bool)
        /// Does nothing unless the message has failed.
        case resend(Int)
        case resendAll
        case deleteAllFailed
        case line(Line)
        /// The client's process ends and restarts.
        case restart(resumes: Bool)
        case restartHub
        /// Logs out, and in again when the line works.
        case relogin
        /// Creates several messages at once, and lets this many deliveries fail.
        case trouble(Trouble, times: Int, [Draft])
        /// The token is rejected until the next login.
        case refusedToken(Draft)
        /// The next request arrives twice.
        case repeated(Draft)
        /// The last delivery that ended arrives once more.
        case lateCopy
    }

    let seed: UInt64
    var steps: [Step]

    var description: String {
        "scenario \(seed)\n" + steps.enumerated().map { "  \($0). \($1)" }.joined(separator: "\n")
    }
}
