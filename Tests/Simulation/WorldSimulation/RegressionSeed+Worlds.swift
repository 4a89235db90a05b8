/// Seeds that once broke an invariant. They run in every test run, in addition to any range.
///
/// A seed produces the same history only as long as the simulator draws its random numbers in the same order; when that
/// changes, it becomes an ordinary seed, and the scripts of `FoundFaultsTests` preserve the original case.
package enum RegressionSeeds {
    package static let all: [UInt64] = [
        // Completed twice: a confirmation or a deletion, and then the verdict.
        1, 132, 250, 1250,
        // A pause behind a rate limit: the machine requested a deadline in the past.
        35,
        // A message that was resent twice was in the lane twice.
        23,
        // The verdict after a restart was not reported.
        49,
        // A batch in flight that was cancelled was not in doubt.
        42,
        // Attempts were exhausted although nothing had failed.
        209, 4941,
        // A resend discarded an old doubt, and the message was refused or its session ended meanwhile.
        13, 3324,
        // A verdict on an old position, reported together with the acceptance at the new one.
        134,
        // A reaction whose response was lost hid the one that was requested after it.
        21457,
        // A reply that was resent and waits for its message paused its lane for ever.
        72142,
        // A parked reply that another copy of the store had sent was not reported.
        788_968,
        // A delivery that the hub cannot read was cut one message at a time: the messages behind were sent along 40
        // times.
        41549,
        // An operation whose message was deleted keeps its age in the store.
        61686,
        // A deletion was asked about under a new outbox id, and a late copy under the former one brought it back.
        1_477_781,
        // Parked replies got their numbers in the order of a set.
        1_470_200,
        // Attempts counted twice by the judge: a report that an older delivery's failure dropped, and one that a crash
        // kept from the disk.
        1_309_723, 1_201_043,
    ]
}
