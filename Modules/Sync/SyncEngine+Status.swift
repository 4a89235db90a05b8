package import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// The state of the outbox as an operator sees and steers it.
extension SyncEngine {
    package func setPaused(_ isPaused: Bool) async throws(SyncError) {
        try await request { engine -> Result<Void, SyncError> in
            await engine.perform(engine.outbox.handle(isPaused ? .paused : .resumed, at: engine.clock))
            return .success(())
        }
    }

    /// Probes the server now instead of at the next planned time.
    package func probeNow() { submit(.event(.probeRequested)) }

    /// The status of the engine. Does not wait for queued work.
    package func status() async throws(SyncError) -> SyncStatus {
        await catchUp()
        let counts: StoreCounts
        do throws(StoreError) { counts = try await store.counts() } catch { throw .store(error) }
        let now = clock
        return SyncStatus(
            session: session, connectivity: outbox.connectivity(at: now), actionRequired: outbox.actionRequired,
            isPaused: outbox.isPaused, waitReason: outbox.waitReasonOfAll(at: now),
            storeProblem: storeProblem?.textOfDelivery, counts: counts,
            lanes: outbox.lanesInWords(at: now).map {
                SyncStatus.Lane(lane: $0.lane, depth: $0.depth, head: $0.head, headWait: $0.wait)
            },
            deliveredCount: deliveredCount, server: serverText, epoch: outbox.epoch,
            notices: notices, events: eventsStatus(at: now))
    }

    /// The server's description of itself, and how requests travel now: a client that follows events does not probe, so
    /// a probe could not say.
    private var serverText: String? {
        guard let serverName, let way = transport?.way else { return serverName }
        return "\(serverName) over \(way)"
    }

    /// The reasons why these messages or operations are not on the server yet; those that do not wait are left out.
    /// Does not wait for queued work.
    ///
    /// - Parameter items: as they were just read.
    package func waitReasons(for items: [some Deliverable]) async -> [OperationID: WaitReason] {
        await catchUp()
        let failed = await failedRoots(of: items)
        let now = clock
        var reasons: [OperationID: WaitReason] = [:]
        for item in items where item.isPending {
            if let storeProblem {
                reasons[item.id] = .storeUnavailable(detail: storeProblem.textOfDelivery)
            } else if item.isParked, let related = item.related {
                reasons[item.id] = failed[related].map { .blocked(by: $0) } ?? .parked(related)
            } else {
                reasons[item.id] = outbox.waitReason(for: item.id, at: now) ?? reasonMeanwhile(item, now)
            }
        }
        return reasons
    }

    /// The failed message for which each related message of these waits, directly or behind others that wait: it does
    /// not resume by itself.
    private func failedRoots(of items: [some Deliverable]) async -> [MessageID: MessageID] {
        let related = Set(items.compactMap { $0.isParked ? $0.related : nil })
        var following: [MessageID: MessageID] = [:]
        var failed: Set<MessageID> = []
        var unread = related
        for _ in 0..<SyncLimits.waitChainMax where !unread.isEmpty {
            do throws(StoreError) {
                for message in try await store.messages(Array(unread)) {
                    if message.syncState == .error { failed.insert(message.id) }
                    if message.isParked { following[message.id] = message.related }
                }
            } catch {
                return [:]  // the store's own trouble is reported elsewhere
            }
            unread = Set(unread.compactMap { following[$0] }).subtracting(following.keys).subtracting(failed)
        }
        var roots: [MessageID: MessageID] = [:]
        for message in related {
            var last = message
            for _ in 0..<SyncLimits.waitChainMax {
                guard !failed.contains(last), let next = following[last] else { break }
                last = next
            }
            if failed.contains(last) { roots[message] = last }
        }
        return roots
    }

    /// The reason while the engine is busy: it has not processed a new message yet, or is committing the verdict of an
    /// old one.
    private func reasonMeanwhile(_ item: some Deliverable, _ now: ClockReading) -> WaitReason {
        if item.syncState == .syncing { return .inFlight(since: item.lastAttemptAt ?? now.wall) }
        return outbox.waitReasonOfAll(at: now) ?? .ready
    }
}

extension StoreError {
    /// The description of an error that the engine recovers from without the user.
    fileprivate var textOfDelivery: String {
        guard case .full(let detail) = self else { return description }
        return "the disk is full (\(detail)); free some space; delivery resumes by itself"
    }
}
