package import CausewayModels

/// What befalls the data, and the claims of clients; see ``HubChronicle``.
extension HubOracle {
    /// Lets the hub look at a claim, and judges what it says.
    package mutating func meet(
        _ claim: ServerHistory?, at hub: inout ModelHub
    ) -> (isCurrent: Bool, objection: String?) {
        let isCurrent = hub.knowsPresent(claim)
        let objection = chronicle.objection(
            to: isCurrent, claim, floor: hub.identity.history.floor, hub.present)
        return (isCurrent, objection)
    }

    /// The history that an answer of the hub names when it leaves now.
    package mutating func name(_ hub: ModelHub) -> ServerHistory {
        chronicle.tell(hub.present)
        return hub.present
    }

    /// Judges the marks that the hub names of an outbox.
    package func objection(toMarks marks: [LaneID: Int64], of outbox: OutboxID, _ account: UserID?) -> String? {
        marks == dealtMarks(of: outbox, account) ? nil : "the hub names the marks \(marks) of an outbox"
    }

    /// The hub ends and starts again.
    package mutating func restart(_ hub: inout ModelHub) {
        hub.restart()
        hub.beginOpening()
        chronicle.start()
    }

    /// Puts a backup of hub and oracle in the place of both.
    ///
    /// - Parameter isRestore: by the hub's own command, which begins another history.
    package mutating func putBack(
        _ backup: (hub: ModelHub, oracle: HubOracle), to hub: inout ModelHub, isRestore: Bool
    ) -> String? {
        if isRestore { hub.restore(backup.hub) } else { hub.putBack(backup.hub) }
        var chronicle = chronicle
        let objection = chronicle.goBack(
            to: backup.oracle.chronicle, hub.present, floor: hub.identity.history.floor, isRestore: isRestore)
        self = backup.oracle
        self.chronicle = chronicle
        return objection
    }

    /// Puts another hub, which has nothing, in the place of this one.
    package mutating func replace(_ hub: inout ModelHub) -> String? {
        hub.replace()
        var chronicle = chronicle
        let objection = chronicle.replace(by: hub.present)
        self = HubOracle()
        self.chronicle = chronicle
        return objection
    }

    /// True while all that a client was told with this claim is on the hub.
    package func holds(_ claim: ServerHistory) -> Bool { chronicle.holds(claim) }

    /// True for a place that a hub gave to the message at some time.
    package func wasGiven(_ placement: Placement, to message: MessageID) -> Bool {
        chronicle.wasGiven(placement, to: message)
    }
}
