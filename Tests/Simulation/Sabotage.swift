/// A fault planted on purpose, to show that the simulator would find it. None of them exists outside the tests.
enum Sabotage: String, CaseIterable, Sendable {
    /// The hub does not remember what it accepted.
    case hubForgetsMessages
    /// The hub's marks do not survive its restart.
    case hubForgetsMarks
    /// The hub answers a fence, but does not keep the mark that bars late copies.
    case fencesLeaveNoMark
    /// The hub applies an operation although something before it is missing.
    case hubIgnoresGaps
    /// The driver takes the answer of an older round for the answer of the one under way.
    case lateAnswersAccepted
    /// The driver answers fences itself and never asks the hub.
    case fencesSkipped
    /// The driver commits mutations that belong together one by one.
    case commitsSplit
    /// The driver sends first and commits afterwards.
    case sendsBeforeCommit
    /// The store forgets after what a message was transmitted when its attempt ends.
    case requeueForgetsPrevious
}
