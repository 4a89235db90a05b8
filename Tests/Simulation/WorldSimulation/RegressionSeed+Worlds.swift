import CausewaySimulationKernel

extension RegressionSeed {
    /// Seeds of the outbox machine and the hub's rules; `FoundFaultsTests` has the same cases step by step.
    static let ofWorlds = [
        RegressionSeed(1, "completed twice: a confirmation or a deletion, and then the verdict"),
        RegressionSeed(132, "completed twice: a confirmation or a deletion, and then the verdict"),
        RegressionSeed(250, "completed twice: a confirmation or a deletion, and then the verdict"),
        RegressionSeed(1250, "completed twice: a confirmation or a deletion, and then the verdict"),
        RegressionSeed(35, "a pause behind a rate limit: the machine requested a deadline in the past"),
        RegressionSeed(23, "a message that was resent twice was in the lane twice"),
        RegressionSeed(49, "the verdict after a restart was not reported"),
        RegressionSeed(42, "a batch in flight that was cancelled was not in doubt"),
        RegressionSeed(209, "attempts were exhausted although nothing had failed"),
        RegressionSeed(4941, "attempts were exhausted although nothing had failed"),
        RegressionSeed(
            13, "a resend discarded an old doubt, and the message was refused or its session ended meanwhile"),
        RegressionSeed(
            3324, "a resend discarded an old doubt, and the message was refused or its session ended meanwhile"),
        RegressionSeed(134, "a verdict on an old position, reported together with the acceptance at the new one"),
        RegressionSeed(21457, "a reaction whose response was lost hid the one that was requested after it"),
        RegressionSeed(72142, "a reply that was resent and waits for its message paused its lane for ever"),
        RegressionSeed(788_968, "a parked reply that another copy of the store had sent was not reported"),
        RegressionSeed(
            41549,
            "a delivery that the hub cannot read was cut one message at a time, and those behind were sent 40 times"),
        RegressionSeed(61686, "an operation whose message was deleted keeps its age in the store"),
        RegressionSeed(
            1_477_781,
            "a deletion was asked about under a new outbox id, and a late copy under the former one brought it back"),
        RegressionSeed(1_470_200, "parked replies got their numbers in the order of a set"),
        RegressionSeed(
            1_309_723,
            "a report that an older delivery's failure dropped or that a crash kept from the disk was counted twice"),
        RegressionSeed(
            1_201_043,
            "a report that an older delivery's failure dropped or that a crash kept from the disk was counted twice"),
        RegressionSeed(
            1_666_030, "a lane stayed paused by a failed message that another copy of the store had delivered"),
        RegressionSeed(5923, "a reply was released by the deletion of its parent and deleted in the same commit"),
        RegressionSeed(11216, "a reply was released by the deletion of its parent and deleted in the same commit"),
        RegressionSeed(5174, "the uploads of two messages were given up at once, and one of them was sent"),
        RegressionSeed(46, "a probe followed the failure of another one without a pause"),
        RegressionSeed(780, "a request to hold uploads was forgotten under a new outbox id"),
        RegressionSeed(1884, "the upload of a later message failed and paused the lane of one in flight"),
        RegressionSeed(10_876_239, "the file of two messages in one delivery expired between their verdicts"),
        RegressionSeed(10_906_341, "a machine slept before it heard of messages that the run after it expired"),
        RegressionSeed(20_706_207, "an older fence outlived the deletion of its message"),
        RegressionSeed(
            356, "a hub with another history was sent to before the connection had settled", isSteady: false),
        RegressionSeed(
            1307, "a hub with another history was sent to before the connection had settled", isSteady: false),
        RegressionSeed(752, "a message that the hub had lost delayed the expiry of older ones", isSteady: false),
        RegressionSeed(982, "a message that the hub had lost delayed the expiry of older ones", isSteady: false),
        RegressionSeed(
            919, "a queued message kept the time of an edit in a former history, and showed lost reactions",
            isSteady: false),
        RegressionSeed(
            1_322_589, "an edit whose response was missing reverted a later one that the hub had lost",
            isSteady: false),
        RegressionSeed(
            115_544, "a lane waited for a request that had been sent under the former outbox id",
            isSteady: false),
    ]
}
