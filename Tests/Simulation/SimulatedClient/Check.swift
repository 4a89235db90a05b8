/// The checks of the judge, by what they require. Each is named by the planted faults that only it finds:
/// `Tools/simulate-clients judges`.
package enum Check: String, CaseIterable, Sendable {
    /// Folding the feed gives the content of the store.
    case feed
    /// An opening leaves no state of the previous run.
    case sweep
    /// Nothing accepted is lost, and nothing deleted is back.
    case loss
    /// A deleted message does not come back.
    case deletedReturns
    /// Synced messages stay synced.
    case syncedStays
    /// Nothing is deleted unasked.
    case unaskedDeletion
    /// A message that becomes synced is on the hub.
    case delivered
    /// A page or an event brings the content of the hub.
    case merged
    /// A page or an event brings the reactions of the account itself.
    case mergedReactions
    /// Only the hub refuses.
    case refusal
    /// A message that failed for good is not on the hub.
    case finalFailure
    /// No message is tried more often than configured.
    case attemptsMax
    /// Only calls that ended use up attempts.
    case attempts
    /// An account sees its own messages only.
    case owners
    /// A logout returns the number of pending messages.
    case logoutCount
    /// A device with a good disk can be opened.
    case opening

    // MARK: At the network

    /// Nothing is sent after the end of its session.
    case endedSession
    /// Nothing is sent during a pause.
    case pause
    /// No more deliveries are under way than configured.
    case pool
    /// No message is sent in a circle.
    case circles
    /// The hub is not probed in a circle.
    case probeCircles
    /// Pages are not requested in a circle while nothing is delivered.
    case pageCircles
    /// A message leaves as it is, and every time the same.
    case content
    /// Only what is stored is sent.
    case unwritten
    /// The numbers of a delivery are those that are stored.
    case numbers

    // MARK: At the hub

    /// The hub stores each message once, unchanged, as its author's, and nothing that was given up.
    case storing
    /// The hub stores each lane in the order of creation.
    case order
    /// A former process delivers nothing after a later one.
    case processOrder
    /// The hub itself obeys the rules of the protocol.
    case hubOracle
    /// A client does not go over to a history that it has.
    case sameHistory
    /// A page removes only what was deleted on the hub.
    case pageRemoval
    /// A lethal message costs the others one attempt at most.
    case lethalOthers
    /// A lethal message uses up its own attempts.
    case lethalMessage

    // MARK: Files

    /// Nothing is uploaded that the hub has.
    case repeatedUpload
    /// Nothing is uploaded for a deleted message.
    case uploadAfterDeletion
    /// A message is sent after its file.
    case fileFirst
    /// The bytes of a file arrive unchanged.
    case fileBytes
    /// The hub has the file of each of its messages.
    case fileOnHub
    /// The ordering policy is kept.
    case ordering
    /// No text waits for a file.
    case textWaits
    /// The hub reports durable offsets.
    case uploadOffset
    /// The file of a message is kept.
    case keptFiles
    /// Files without messages are removed.
    case removedFiles
    /// No upload is left on the hub without need.
    case leftUploads

    // MARK: Reports to users

    /// An accepted message can be read.
    case accepted
    /// A deleted message cannot be read.
    case deletedGone
    /// An edit is shown when its call returns.
    case shownEdit
    /// A double click resends once.
    case doubleResend
    /// A channel is read in its order, and completely.
    case channel
    /// The outbox lists what is undelivered.
    case outbox
    /// A waiting message has a reason, and the right one.
    case waitReason
    /// A message that waits for a failed one says so.
    case relation
    /// The status counts what is stored.
    case counts
    /// The status shows a pause.
    case shownPause
    /// A screen shows the present status.
    case shownStatus
    /// A wait that ends with success is right.
    case toldSynced
    /// A wait that ends with a failure is right.
    case toldFailed
    /// A wait that ends with a deletion is right.
    case toldDeleted
    /// A wait ends with a result.
    case toldNothing
    /// A wait that a close cuts off says so.
    case closedWait
    /// A completion is called once.
    case repeatedCompletion
    /// Every completion is called.
    case missingCompletion
    /// An error has a cause that the user can know.
    case errors

    // MARK: At rest, and at the end

    /// Something can happen, and time passes.
    case progress
    /// Everything ends in time.
    case settling
    /// Nothing stays parked.
    case unparking
    /// A parked message waits for an undelivered one.
    case parking
    /// An engine at rest holds nothing.
    case footprint
    /// An engine at rest reads no pages.
    case forgottenPages
    /// At rest a new message is delivered at once.
    case promptness
    /// Every verdict is true at the end.
    case verdicts
    /// Edits and reactions have arrived.
    case operations
    /// Lists become and stay equal to the hub.
    case lists
    /// No page is requested for a list that events keep up to date.
    case neededPages
    /// Each change of history is reported once.
    case notices
    /// Every client learns of the hub's losses.
    case unseenLoss
    /// A message deleted on the hub is not there again.
    case deletedOnHub
    /// Every wait has ended with its client.
    case endedWaits
    /// Every sequence has ended with its client.
    case endedScreens
    /// Nothing goes on after the end.
    case ending
}
