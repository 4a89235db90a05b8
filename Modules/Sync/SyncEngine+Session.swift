package import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
package import CausewayTransport

/// Login and logout, each as one input of the engine.
extension SyncEngine {
    /// Starts a session, or renews the token of the current one.
    package func login(_ session: Session, _ transport: any Transport) async throws(SyncError) -> Session {
        try await request { engine in await engine.loginInTurn(session, transport) }
    }

    private func loginInTurn(
        _ new: Session, _ newTransport: any Transport
    ) async -> Result<Session, SyncError> {
        do throws(StoreError) {
            if let session {
                guard session.isSameAccount(as: new) else {
                    return .failure(.sessionExists(user: session.user, server: session.server))
                }
                await endCalls()
                await transport?.close()
                transport = newTransport
                followEvents(from: follower.cursor)
                await perform(outbox.handle(.actionResolved, at: clock))
                forgetMissedPages()
                tell(.reachable)
                return .success(session)
            }
            // Messages that were created while no user was logged in must not be sent.
            let stray = Failure(reason: .sessionEnded, code: "loggedOut", detail: "", at: clock.wall)
            try await store.commit([.endSession(stray)])
            await completeAllAsStored()  // before the next step, which may fail
            let isOther = try await store.session().map { !$0.isSameAccount(as: new) } ?? false
            // The store switches to the account of the session, with the data of its earlier sessions. Messages created
            // meanwhile by the former account remain with that one.
            try await store.commit([.endSession(stray), .saveSession(new)])
            // Waits for messages of the former account end: they do not last until that account returns.
            if isOther { waiters.failAll() }
            let eventCursor = await reloadOutbox()
            session = new
            transport = newTransport
            followEvents(from: eventCursor)
            forgetMissedPages()
            tell(.sessionChanged)
            await completeAllAsStored()  // waiters of messages that were created between the two commits
            await perform(outbox.handle(.sessionBegan, at: clock))
            return .success(new)
        } catch {
            return .failure(.store(error))
        }
    }

    /// Ends the session: nothing of it is sent afterwards, and undelivered messages become `error`.
    ///
    /// - Parameter isErasing: true to remove everything that is stored of the account, in the same commit.
    /// - Returns: the number of messages and operations that failed so, plus the number of fences and deletions that
    ///   the server has not received; those resume when the account logs in again.
    package func logout(isErasing: Bool) async throws(SyncError) -> Int {
        try await request { engine in await engine.logoutInTurn(isErasing: isErasing) }
    }

    private func logoutInTurn(isErasing: Bool) async -> Result<Int, SyncError> {
        guard var ended = session else { return .failure(.noSession) }
        await endCalls()
        let now = clock
        let failure = Failure(
            reason: .sessionEnded, code: "loggedOut", detail: "\(ended.user) logged out", at: now.wall)
        ended.endedAt = now.wall
        do throws(StoreError) {
            let pending = try await pendingCount()
            let erasure = isErasing ? [Mutation.eraseAccount(OutboxID(runtime.makeUUIDv7()))] : []
            try await store.commit([.endSession(failure)] + erasure + [.saveSession(ended)])
            stopFollowing()
            await transport?.close()
            session = nil
            transport = nil
            serverName = nil
            tell(.sessionChanged)
            await reloadOutbox()
            await completeAllAsStored()
            return .success(pending)
        } catch {
            return .failure(.store(error))
        }
    }

    /// The number of messages and operations of which the server has not confirmed some part: queued ones, those that
    /// wait for another message, and those with a fence or a deletion, each counted once. A certain failure does not
    /// count.
    private func pendingCount() async throws(StoreError) -> Int {
        let counts = try await store.counts()
        let entries = try await store.outbox().entries
        let queued = entries.count { $0.kind == .send }
        let parked = counts.undelivered - counts.error - queued
        // A message that waits for another one may have fences as well.
        let asked = Set(entries.filter { $0.kind != .send }.map(\.message))
        let both = try await store.items(Array(asked)).count(where: \.isParked)
        return Set(entries.map(\.message)).count + parked - both
    }

    /// The store contains another outbox than the machine now: nothing continues until it has been read, however long
    /// that takes.
    ///
    /// - Returns: the stored cursor of the server's events.
    @discardableResult
    private func reloadOutbox() async -> EventCursor? {
        var eventCursor: EventCursor?
        let wasPaused = outbox.isPaused
        while !isClosed {
            feed.clear()  // the snapshot holds what the feed brought until now
            do throws(StoreError) {
                let snapshot = try await store.outbox()
                outbox = Outbox(
                    snapshot, configuration: configuration, seed: runtime.random(), firstBatch: outbox.nextBatch,
                    firstUpload: outbox.uploads.nextNumber)
                history = snapshot.history
                keptHistory = snapshot.history
                eventCursor = snapshot.eventCursor
                storeProblem = nil
                break
            } catch {
                storeProblem = error
                if error == .closed { return nil }
            }
            await runtime.sleep(until: runtime.now + SyncLimits.storeRetryInterval)
        }
        // A pause by an operator applies to every account.
        if wasPaused { await perform(outbox.handle(.paused, at: clock)) }
        return eventCursor
    }
}
