import CausewaySimulationKernel

extension RegressionSeed {
    /// Seeds of whole clients; the tests in `Tests/Unit/Sync` reproduce the same faults step by step.
    static let ofClients = [
        RegressionSeed(13, "a double click resent a message twice"),
        RegressionSeed(42, "who waited for a parked reaction was never told of its deletion"),
        RegressionSeed(46, "a message that the engine had not taken in yet could not say why it waits"),
        RegressionSeed(
            156, "a message made in the moment of a logout was told failed, and stood in the queue"),
        RegressionSeed(193, "a login ended a pause"),
        RegressionSeed(495, "a deleted message was owed a verdict for ever"),
        RegressionSeed(832, "who waited for a parked reply was never told of its deletion"),
        RegressionSeed(1908, "a logout that the disk refused left a session without a way to the server"),
        RegressionSeed(3516, "a reply made while its parent was deleted stayed parked for ever"),
        RegressionSeed(13440, "a logout counted a parked message that was asked about twice"),
        RegressionSeed(27420, "the same, with nothing else going on"),
        RegressionSeed(14702, "a message was found on the hub, edited, while an attempt was written down"),
        RegressionSeed(25740, "somebody asked for the status just as all was at rest"),
        RegressionSeed(62500, "a login waited for a disk that had failed, and the timer came late"),
        RegressionSeed(72058, "what another copy of the store has, too, failed for good with its session"),
        RegressionSeed(134229, "a request was under way when the store was copied, and arrived late"),
        RegressionSeed(231183, "a completion waited for a disk that had failed, and the timer came late"),
        RegressionSeed(
            349275, "a deletion behind a verdict that the end kept from the disk", isSteady: false),
        RegressionSeed(36759, "questions went along with one new message after the other, not in a circle"),
        RegressionSeed(25291, "a page that is older than a reaction, with the reaction in it"),
        RegressionSeed(
            635, "what is queued again for a restored hub failed for good with its session",
            isSteady: false),
        RegressionSeed(
            8366, "a request was on its way while the store was read again, and was not in doubt",
            isSteady: false),
        RegressionSeed(
            23727, "what was lost under two outbox ids was delivered again in the order of its old numbers",
            isSteady: false),
        RegressionSeed(
            24818, "an answer after the logout was believed, and its history not noted", isSteady: false),
        RegressionSeed(
            60496, "a hub forgot a history that had begun within an opening that it still knew",
            isSteady: false),
        RegressionSeed(
            62551, "a page of a hub that had gone back took away what had been delivered meanwhile",
            isSteady: false),
        RegressionSeed(
            718262, "a logout counted a parked message with two fences as none", isSteady: false),
        RegressionSeed(
            706819, "a message expired at once that no feed had reported, after the clock was set back",
            isSteady: false),
        RegressionSeed(
            4_045_017, "a message whose refusal was lost was offered again to a hub that had gone back",
            isSteady: false),
        RegressionSeed(
            3_036_205, "a late response of a hub's earlier opening hid that its data had been put back",
            isSteady: false),
        RegressionSeed(
            5_001_808, "a reply that a restored hub still had failed for good when its parent was deleted",
            isSteady: false),
        RegressionSeed(
            6_068_191, "a late edit that had been deleted was applied by a hub that had lost its fence",
            isSteady: false),
        RegressionSeed(
            5_014_560, "a late response for an account that had logged out, after the hub was replaced",
            isSteady: false),
        RegressionSeed(
            5_088_913, "a client whose token the hub refused for minutes could not see that the hub was wiped",
            isSteady: false),
        RegressionSeed(
            109, "a page that arrived while the disk was full was never requested again", isSteady: false),
        RegressionSeed(
            123, "a page that was missed was forgotten when the probe for it failed, or a delivery came first",
            isSteady: false),
        RegressionSeed(
            2258, "an event about a message that a page had found to be gone was dropped for good",
            isSteady: false),
        RegressionSeed(
            3239, "a message deleted by another device stayed in a list because its delivery was repeated",
            isSteady: false),
        RegressionSeed(
            12773, "a fence of a copied store was accepted for a message that another copy had deleted",
            isSteady: false),
        RegressionSeed(
            28649, "a hub that had gone back lost a message that an event had confirmed", isSteady: false),
        RegressionSeed(
            42961, "another copy of the store moved a mark past what a hub that had gone back had lost",
            isSteady: false),
        RegressionSeed(
            29024, "a probe for a hub's lost data failed, and no other one followed", isSteady: false),
        RegressionSeed(
            608_458, "a disk that had failed before an orderly end rejected the return of an attempt",
            isSteady: false),
        RegressionSeed(
            223_668, "an upload was cancelled over a transport that a renewed token had replaced", isSteady: false),
        RegressionSeed(
            403_316, "a refusal right after a renewed token was not reported, and the token not renewed again",
            isSteady: false),
        RegressionSeed(
            600_063, "a page kept a message that it did not list, because a late verdict had come first",
            isSteady: false),
        RegressionSeed(
            611_030, "a message without attempts left was sent once more behind a deletion under way", isSteady: false),
        RegressionSeed(
            614_992, "a loss that was noticed while the lists were checked left messages in doubt", isSteady: false),
        RegressionSeed(
            636_133, "a renewed token that a probe found to be refused at once was not renewed again", isSteady: false),
        RegressionSeed(
            705_266, "an older event came after the response to a reaction of another device of the account",
            isSteady: false),
        RegressionSeed(
            720_697, "one commit released a message from parking and stored its delivery, and its link remained",
            isSteady: false),
        RegressionSeed(
            65230, "changes that the server reported before it lost its data confirmed what was queued again",
            isSteady: false),
        RegressionSeed(
            8842, "a message was sent beside one that was taken back after a crash, and was charged for the next one",
            isSteady: false),
        RegressionSeed(
            35015, "what a copy had delivered expired without a question, because another lane was confirmed",
            isSteady: false),
        RegressionSeed(
            16654, "a copy had delivered what this store had left out, and its mark was taken for one of this store's",
            isSteady: false),
        RegressionSeed(
            40292, "a wait ended with its account, for a message of the next one", isSteady: false),
        RegressionSeed(
            54575, "another device deleted a message before its creator was told that it was durable",
            isSteady: false),
    ]

    /// Seeds of whole clients to which the hub sends malformed reports and marks ahead.
    static let ofClientsWithNonsense = [
        RegressionSeed(
            3_029_218, "a refusal came after the change to another outbox id, and the message was offered again",
            isSteady: false)
    ]

    /// Seeds of whole clients whose users send files.
    static let ofClientsWithFiles = [
        RegressionSeed(
            3_018_148, "completions waited for a disk that could not be read, and their timers came late",
            isSteady: false)
    ]
}
