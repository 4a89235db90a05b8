/// A seed that broke an invariant when it was found. The effect of a seed changes with the simulator: the tests in
/// `Tests/Unit/Sync` reproduce the same faults step by step.
struct RegressionSeed: Sendable {
    let seed: UInt64
    let what: String
    /// True when the fault was found with a hub that keeps its data.
    var isSteady = true

    static let all = [
        RegressionSeed(seed: 13, what: "a double click resent a message twice"),
        RegressionSeed(seed: 42, what: "who waited for a parked reaction was never told of its deletion"),
        RegressionSeed(seed: 46, what: "a message that the engine had not taken in yet could not say why it waits"),
        RegressionSeed(
            seed: 156, what: "a message made in the moment of a logout was told failed, and stood in the queue"),
        RegressionSeed(seed: 193, what: "a login ended a pause"),
        RegressionSeed(seed: 495, what: "a deleted message was owed a verdict for ever"),
        RegressionSeed(seed: 832, what: "who waited for a parked reply was never told of its deletion"),
        RegressionSeed(seed: 1908, what: "a logout that the disk refused left a session without a way to the server"),
        RegressionSeed(seed: 3516, what: "a reply made while its parent was deleted stayed parked for ever"),
        RegressionSeed(seed: 13440, what: "a logout counted a parked message that was asked about twice"),
        RegressionSeed(seed: 27420, what: "the same, with nothing else going on"),
        RegressionSeed(seed: 14702, what: "a message was found on the hub, edited, while an attempt was written down"),
        RegressionSeed(seed: 25740, what: "somebody asked for the status just as all was at rest"),
        RegressionSeed(seed: 62500, what: "a login waited for a disk that had failed, and the timer came late"),
        RegressionSeed(seed: 72058, what: "what another copy of the store has, too, failed for good with its session"),
        RegressionSeed(seed: 134229, what: "a request was under way when the store was copied, and arrived late"),
        RegressionSeed(seed: 231183, what: "a completion waited for a disk that had failed, and the timer came late"),
        RegressionSeed(
            seed: 349275, what: "a deletion behind a verdict that the end kept from the disk", isSteady: false),
        RegressionSeed(seed: 36759, what: "questions went along with one new message after the other, not in a circle"),
        RegressionSeed(seed: 25291, what: "a page that is older than a reaction, with the reaction in it"),
        RegressionSeed(
            seed: 635, what: "what is queued again for a restored hub failed for good with its session",
            isSteady: false),
        RegressionSeed(
            seed: 8366, what: "a request was on its way while the store was read again, and was not in doubt",
            isSteady: false),
        RegressionSeed(
            seed: 23727, what: "what was lost under two outbox ids was delivered again in the order of its old numbers",
            isSteady: false),
        RegressionSeed(
            seed: 24818, what: "an answer after the logout was believed, and its history not noted", isSteady: false),
        RegressionSeed(
            seed: 60496, what: "a hub forgot a history that had begun within an opening that it still knew",
            isSteady: false),
        RegressionSeed(
            seed: 62551, what: "a page of a hub that had gone back took away what had been delivered meanwhile",
            isSteady: false),
        RegressionSeed(
            seed: 718262, what: "a logout counted a parked message with two fences as none", isSteady: false),
        RegressionSeed(
            seed: 706819, what: "a message expired at once that no feed had reported, after the clock was set back",
            isSteady: false),
    ]
}
