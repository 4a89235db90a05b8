/// Seeds that broke an invariant once. They run in every test run, whatever range the others come from.
///
/// A seed tells the same story only as long as the simulator draws its chances in the same order; when that changes,
/// they are ordinary seeds again, and the scripts of `FoundFaultsTests` keep what they showed.
package enum RegressionSeeds {
    package static let all: [UInt64] = [
        // Completed twice: a proof or a deletion, and then the verdict.
        1, 132, 250, 1250,
        // A pause behind a rate limit: the machine asked for a deadline in the past.
        35,
        // A message that was sent twice over stood in the lane twice.
        23,
        // Nobody was told the verdict after a restart.
        49,
        // A flight that was taken back was not in doubt.
        42,
        // Attempts were used up by what was nobody's failure.
        209, 4941,
        // An old doubt was forgotten by a resend, and the message was refused or its session ended meanwhile.
        13, 3324,
        // A verdict on an old place, given together with the acceptance in the new one.
        134,
        // A reaction whose answer was lost hid the one that was wanted after it.
        21457,
        // A reply that was resent and waits for its message paused its lane for ever.
        72142,
        // Nobody was told of a parked reply that another copy of the store had sent.
        788_968,
        // A delivery that the hub cannot read was cut one message at a time: what stood behind went along 40 times.
        41549,
        // An operation whose message was deleted keeps its age in the store.
        61686,
    ]
}
