import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayStorage

/// Reads by users, and the checks of their results.
extension World {
    func refresh(_ client: CausewayClient, _ process: Int) async {
        guard let channel = anyChannel() else { return }
        let newest = processes[process].mirror.inOrder.compactMap {
            $0.message?.serverPosition?.position
        }.max()
        do throws(ClientError) {
            try await client.messages.refreshMessages(
                in: channel, limit: between(1, 30), before: isLikely(300) ? newest : nil)
        } catch {
            if case .transport = error { return }
            witnessError(error, process)
        }
    }

    /// Reads a channel to its beginning, in pages.
    func readChannel(_ client: CausewayClient, _ process: Int) async {
        guard let channel = anyChannel() else { return }
        let version = processes[process].mirror.version
        var seen: [Message] = []
        var cursor: MessageCursor?
        do throws(ClientError) {
            repeat {
                let page = try await client.messages.storedMessages(in: channel, limit: between(1, 20), before: cursor)
                seen += page.messages
                cursor = page.next
            } while cursor != nil
        } catch {
            return witnessError(error, process)
        }
        let places = seen.map(\.cursor)
        if zip(places, places.dropFirst()).contains(where: { ($0.position, $0.ordinal) <= ($1.position, $1.ordinal) }) {
            violated(.channel, "a channel is not read in its order")
        }
        guard processes[process].mirror.version == version, processes[process].isWitnessed else { return }
        checkOwners(seen, process)
        let wanted = processes[process].mirror.items.values.filter {
            $0.channel == channel && $0.createsMessage
        }.count
        if seen.count != wanted { violated(.channel, "a channel of \(wanted) messages shows \(seen.count)") }
    }

    /// Checks the wait reasons: every message in the queue has one, and no other message does.
    func readOutbox(_ client: CausewayClient, _ process: Int) async {
        let version = processes[process].mirror.version
        do throws(ClientError) {
            let page = try await client.messages.outbox(limit: 1000)
            guard isRunning(process), processes[process].mirror.version == version else { return }
            checkOwners(page.items.map(\.operation), process)
            let wanted = processes[process].mirror.items.values.filter(\.isUndelivered)
            if page.items.count != wanted.count {
                violated(.outbox, "an outbox of \(wanted.count) messages shows \(page.items.count)")
            }
            for item in page.items where item.operation.isPending && item.wait == nil {
                violated(
                    .waitReason,
                    "message \(expected.number(item.operation.id)) (\(item.operation.told)) waits, "
                        + "and nobody can say why")
            }
            for item in page.items where item.operation.createsMessage {
                guard case .behind(let other) = item.wait,
                    plan.devices[processes[process].device].ordering != .strict,
                    expected.records[other]?.item.createsMessage == false
                else { continue }
                violated(.waitReason, "message \(expected.number(item.operation.id)) waits behind an operation")
            }
            for item in page.items {
                checkWait(item, process)
                checkRelation(item, process)
            }
            for item in page.items where item.operation.syncState == .error && item.wait != nil {
                violated(.waitReason, "message \(expected.number(item.operation.id)) has failed, and is said to wait")
            }
        } catch {
            witnessError(error, process)
        }
    }

    /// Checks that a message that waits for a failed one says so.
    private func checkRelation(_ item: OutboxItem, _ process: Int) {
        let (related, isSaidFailed): (MessageID, Bool)
        switch item.wait {
        case .parked(let message): (related, isSaidFailed) = (message, false)
        case .blocked(by: let message): (related, isSaidFailed) = (message, true)
        default: return
        }
        // If the store cannot be read, the engine takes nothing for failed.
        guard plan.likelihoods[.readFails] == 0, let state = heldUpBy(related, process),
            (state == .error) != isSaidFailed
        else { return }
        violated(
            .relation,
            "message \(expected.number(item.operation.id)) is said to wait for a message "
                + (isSaidFailed ? "that failed, and it is \(state)" : "under way, and it has failed"))
    }

    /// The state of the message for which this one waits, directly or behind others that wait.
    private func heldUpBy(_ message: MessageID, _ process: Int) -> SyncState? {
        var last = processes[process].mirror.items[message]
        while let item = last, item.isParked, item.syncState != .error, let next = item.related {
            last = processes[process].mirror.items[next]
        }
        return last?.syncState
    }

    // MARK: - The status

    /// Follows the status of a client like a screen.
    func watchStatus(_ process: Int, _ client: CausewayClient) {
        let statuses = client.liveStatus()
        watchersLeft += 1
        runtime.spawn { [self] in
            for await status in statuses { processes[process].shownStatus = status }
            watchersLeft -= 1
        }
    }

    /// Checks that the status that a screen shows is the present one, apart from its moments: they follow the wall
    /// clock, which is set without a report.
    func checkShownStatus(_ client: CausewayClient, _ process: Int) async {
        guard plan.watchesStatus, violation == nil else { return }
        var difference: String?
        let deadline = runtime.now + latestTimer + .seconds(5)
        while runtime.now < deadline {
            guard isRunning(process), let status = try? await client.status() else { return }
            guard let shown = processes[process].shownStatus, shown != status, timeless(shown) != timeless(status)
            else { return }
            difference = "\(shown) instead of \(status)"
            await pass(.seconds(1))
        }
        if let difference { violated(.shownStatus, "a screen shows a former status at rest: \(difference)") }
    }

    private func timeless(_ status: SyncStatus) -> String {
        "\(status)".replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "")
    }

    func readStatus(_ client: CausewayClient, _ process: Int) async {
        let version = processes[process].mirror.version
        do throws(ClientError) {
            let status = try await client.status()
            guard isRunning(process), processes[process].mirror.version == version else { return }
            let messages = processes[process].mirror.items.values
            let failed = messages.filter { $0.syncState == .error }.count
            let pending = messages.filter(\.isPending).count
            if status.counts.error != failed {
                violated(.counts, "\(failed) have failed, and \(status.counts.error) are shown")
            }
            let counted = status.counts.created + status.counts.syncing + status.counts.uploading
            if counted != pending { violated(.counts, "\(pending) are in the queue, and \(counted) are shown") }
            if processes[process].pausedSince != nil, !status.isPaused {
                violated(.shownPause, "it is paused, and does not say so")
            }
        } catch {
            witnessError(error, process)
        }
    }
}
