import Causeway
import CausewayModels
import CausewaySimulatedHub

/// Users edit messages in any state and react to them.
extension World {
    func edit(_ client: CausewayClient, _ process: Int) async {
        let user = devices[processes[process].device].session?.user
        guard
            let message = anyMessage(process, where: { $0.type == .text && $0.sender == user })
        else { return }
        messagesWritten += 1
        let text = "edit \(messagesWritten)"
        expected.records[message.id]?.edits += 1
        let edits = expected.records[message.id]?.edits
        do throws(ClientError) {
            try await client.messages.editTextMessage(message.id, to: text)
            guard isRunning(process), expected.records[message.id]?.edits == edits else { return }
            // The message shows the change when the call returns, unless the session ended at the same time.
            guard devices[processes[process].device].session?.isActive == true else { return }
            let shown = processes[process].mirror.message(message.id)
            if let shown, edits == 1, shown.content != .text(text) {
                violated(.shownEdit, "message \(expected.number(message.id)) does not show its edit")
            }
        } catch {
            witnessError(error, process)
        }
    }

    func react(_ client: CausewayClient, _ process: Int) async {
        guard let message = anyMessage(process, where: { _ in true }) else { return }
        let name = isLikely(500) ? "wave" : "heart"
        do throws(ClientError) {
            if isLikely(500) || message.myReactions.contains(name) {
                try await client.messages.removeReaction(name, from: message.id)
            } else {
                try await client.messages.addReaction(name, to: message.id)
            }
        } catch {
            witnessError(error, process)
        }
    }

    // MARK: - At the end

    /// Checks that a synced message that only this device has changed equals the one on the hub: the last accepted edit
    /// has won, and opposite reactions have cancelled each other.
    func brokenByOperations(_ device: Int, _ process: Int) -> String? {
        guard plan.devices[device].accounts.count == 1,
            let user = devices[device].session?.user
        else { return nil }
        for message in processes[process].mirror.inOrder.compactMap(\.message)
        where message.syncState == .synced {
            guard let record = expected.records[message.id], record.device == device, !record.isExcused,
                !isShared(record),
                !record.hasLostOperations,
                record.operatingDevices.isSubset(of: [device]), let stored = hub.accepted[message.id]
            else { continue }
            if message.content != stored.content {
                return "message \(record.number) reads \(message.content), and on the hub \(stored.content)"
            }
            let given = Set(stored.reactors.filter { $0.value.contains(user) }.keys)
            if message.myReactions != given {
                return
                    "message \(record.number) has reactions \(message.myReactions.sorted()), on the hub "
                    + "\(given.sorted())"
            }
            if Set(stored.applied).count != stored.applied.count { return "an operation was applied twice" }
        }
        return nil
    }
}
