package import CausewayModels

/// Rollbacks of the data, and the claims of clients; see ``HubChronicle``.
extension HubOracle {
    /// Passes a claim to the hub, and checks the response.
    package mutating func meet(
        _ claim: ServerHistory?, at hub: inout ModelHub
    ) -> (isCurrent: Bool, objection: String?) {
        let isCurrent = hub.knowsPresent(claim)
        let objection = chronicle.objection(
            to: isCurrent, claim, floor: hub.identity.history.floor, hub.present)
        return (isCurrent, objection)
    }

    /// Returns the history that a response of the hub names now.
    package mutating func name(_ hub: ModelHub) -> ServerHistory {
        chronicle.tell(hub.present)
        return hub.present
    }

    /// Checks the marks that the hub reports for an outbox.
    package func objection(toMarks marks: [LaneID: Int64], of outbox: OutboxID, _ account: UserID?) -> String? {
        marks == dealtMarks(of: outbox, account) ? nil : "the hub names the marks \(marks) of an outbox"
    }

    /// Checks the openings that the hub reports for these marks.
    package func objection(
        toMovers movers: [LaneID: OpeningID], of outbox: OutboxID, _ account: UserID?
    ) -> String? {
        movers == dealtMovers(of: outbox, account)
            ? nil : "the hub names other openings than those that moved the marks"
    }

    /// Stops and restarts the hub.
    package mutating func restart(_ hub: inout ModelHub) {
        hub.restart()
        hub.beginOpening()
        chronicle.start()
    }

    /// Replaces hub and oracle by a backup.
    ///
    /// - Parameter isRestore: whether the hub's own command is used, which begins another history.
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

    /// Replaces the hub by another one, which is empty.
    package mutating func replace(_ hub: inout ModelHub) -> String? {
        hub.replace()
        var chronicle = chronicle
        let objection = chronicle.replace(by: hub.present)
        self = HubOracle()
        self.chronicle = chronicle
        return objection
    }

    /// True while everything that the client was told with this claim is on the hub.
    package func holds(_ claim: ServerHistory) -> Bool { chronicle.holds(claim) }

    /// True for a position that a hub assigned to the message at some time.
    package func wasGiven(_ serverPosition: ServerPosition, to message: MessageID) -> Bool {
        chronicle.wasGiven(serverPosition, to: message)
    }
}
