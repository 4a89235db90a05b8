import CausewaySimulatedHub

/// A fault planted on purpose, to show that the simulator would find it. None of them exists outside the tests.
enum Sabotage: String, CaseIterable, Sendable {
    /// What ``HubSabotage`` names.
    case hubForgetsMessages, hubForgetsMarks, fencesLeaveNoMark, hubIgnoresGaps
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

extension Sabotage {
    /// The hub's part; `nil` when the fault is planted elsewhere.
    var ofHub: HubSabotage? {
        switch self {
        case .hubForgetsMessages: .forgetsMessages
        case .hubForgetsMarks: .forgetsMarks
        case .fencesLeaveNoMark: .fencesLeaveNoMark
        case .hubIgnoresGaps: .ignoresGaps
        default: nil
        }
    }
}
