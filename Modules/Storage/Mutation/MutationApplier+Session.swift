package import CausewayModels

/// The start and the end of a session, and the change from one account to another.
extension MutationApplier {
    /// Starts a run: see ``Store/start(_:)``. Cost: linear in the outbox.
    ///
    /// - Returns: the id of the outbox.
    package mutating func start(_ options: StartOptions) throws(Rows.Failure) -> OutboxID {
        var outbox = rows.outbox
        let id = outbox.id ?? options.newOutboxID
        outbox.id = id
        outbox.epoch += 1
        outbox.lineage.open(options.opening, nextSequence: rows.nextSequence)
        try rows.setOutbox(outbox)
        switch options.restart {
        case .fail:
            try endSession(options.failure, releasesLanes: false)
        case .resume:
            for state in [SyncState.uploading, .syncing] {
                try forEach(.underWay(state)) { applier, old throws(Rows.Failure) in
                    try applier.write(old.item.resumed(at: options.failure.at), over: old)
                }
            }
        }
        changes.isReset = true
        return id
    }

    /// See ``Mutation/endSession(_:)``. Cost: linear in the outbox.
    ///
    /// - Parameter releasesLanes: true if no failure is to pause a lane any more.
    mutating func endSession(_ failure: Failure, releasesLanes: Bool) throws(Rows.Failure) {
        let sharedBelow = rows.outbox.lineage.sharedBelow
        var targets: Set<MessageID> = []
        try forEach(.pending) { applier, old throws(Rows.Failure) in
            if let target = old.item.target { targets.insert(target) }
            let fence = old.item.fence(sharedBelow: sharedBelow) { applier.rows.takeSequence() }
            if let fence { try applier.rows.setMarker(fence, at: fence.sequence) }
            var item = old.item.sessionEnded(failure, sharedBelow: sharedBelow)
            if releasesLanes { item = item.unpaused() }
            try applier.write(item, over: old)
        }
        if releasesLanes {
            try forEach(.pausing) { applier, old throws(Rows.Failure) in
                try applier.write(old.item.unpaused(), over: old)
            }
        }
        // Failed operations are no longer displayed.
        try overlayUnlisted(targets)
        changes.isReset = true
    }

    /// See ``Mutation/eraseAccount(_:)``.
    mutating func eraseAccount(_ id: OutboxID) throws(Rows.Failure) {
        try rows.eraseAccount()
        var outbox = rows.outbox
        (outbox.id, outbox.history, outbox.eventCursor) = (id, nil, nil)
        try rows.setOutbox(outbox)
        // Nothing that this commit did before is left.
        changes = CommitChanges()
        changes.isReset = true
    }

    /// Saves the session and makes its account the current one. Cost of switching: linear in the outbox of the other
    /// account.
    mutating func save(_ session: Session) throws(Rows.Failure) {
        let former = rows.account
        if former != session.account {
            let lineage = rows.outbox.lineage
            try rows.enter(session.account, newOutboxID: OutboxID(session.id.value))
            if former != nil {
                var outbox = rows.outbox
                outbox.lineage.takeOver(from: lineage)
                try rows.setOutbox(outbox)
                changes.isReset = true
            }
        }
        try rows.setSession(session)
        changes.add(session)
    }
}
