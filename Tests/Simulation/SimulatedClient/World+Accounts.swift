import Causeway
import CausewayModels
import CausewayStorage

/// Several accounts on one device, one after the other: the records of one are hidden from the others, and are back
/// when it returns.
extension World {
    /// True while the store shows the account that created the record; the records of others wait for their return.
    func isHome(_ record: ExpectedState.Record, _ process: Int) -> Bool {
        processes[process].disk.account.map { $0.user == record.item.sender } ?? true
    }

    /// The same according to the feed: within a commit the store cannot be read.
    func isAtHome(_ record: ExpectedState.Record, _ device: Int) -> Bool {
        record.device == device
            && (devices[device].session.map { $0.user == record.item.sender } ?? true)
    }

    /// Checks that no account sees messages that another one created here, except those received from the hub.
    func checkOwners(_ messages: some Sequence<some Deliverable>, _ process: Int) {
        guard let user = processes[process].disk.account?.user else { return }
        let foreign = messages.filter { $0.lane != nil && $0.sender != user }.map { expected.number($0.id) }
        guard let first = foreign.min() else { return }
        violated(.owners, "message \(first) of another account is shown to \(user)")
    }

    // MARK: - Logouts

    /// Returns the number of pending messages when these mutations end a session; `nil` when they end none.
    func pendingAtTheEnd(of mutations: [Mutation], _ process: Int) -> (pending: Int, enqueued: Int)? {
        let isLogout = mutations.contains { mutation in
            if case .saveSession(let session) = mutation { !session.isActive } else { false }
        }
        guard isLogout else { return nil }
        let (items, controls) = processes[process].disk.contents
        let pending = Set(items.filter(\.isPending).map(\.id)).union(controls.map(\.message))
        return (pending.count, processes[process].enqueued)
    }

    /// Checks that a logout reports the pending messages. Those created during the logout may or may not be counted.
    func checkLogout(_ count: Int, _ process: Int, since first: Int, _ enqueued: Int) {
        let endings = processes[process].logouts.dropFirst(first)
        guard isRunning(process), !endings.isEmpty else { return }
        if endings.contains(where: { ($0.pending - ($0.enqueued - enqueued)...$0.pending).contains(count) }) { return }
        violated(.logoutCount, "a logout says that \(count) are pending, and there are \(endings.map(\.pending))")
    }

    // MARK: - Returns

    /// Logs each account of a device in once more after the recovery.
    ///
    /// - Returns: false when no device has several accounts.
    func bringAccountsBack() async -> Bool {
        var isAnyBack = false
        for device in devices.indices {
            let accounts = plan.devices[device].accounts
            guard accounts.count > 1, violation == nil, let (process, client) = running(device) else { continue }
            let present = processes[process].disk.account?.user
            let away = accounts.first { account(of: "\($0)") != present } ?? accounts[0]
            isAnyBack = true
            for _ in 0..<20 where processes[process].disk.account?.user != account(of: "\(away)") {
                await logOut(client, process)
                await logIn(client, process, as: away)
            }
        }
        return isAnyBack
    }

    // MARK: - Planted fault

    /// True when these mutations log in another account than before.
    func visitor(in mutations: [Mutation], _ process: Int) -> Bool {
        mutations.contains { mutation in
            guard case .saveSession(let session) = mutation, let account = processes[process].disk.account else {
                return false
            }
            return session.account != account
        }
    }

    /// Implements `visitForgetsDoubts`.
    func forgetDoubts(before mutations: [Mutation], _ process: Int) -> [Mutation] {
        guard plan.plantedFault == .visitForgetsDoubts, visitor(in: mutations, process) else {
            return mutations
        }
        let (items, controls) = processes[process].disk.contents
        return controls.map { .removeMarker(sequence: $0.sequence) }
            + items.filter(\.isInDoubt).map { .settle($0.id) } + mutations
    }

    /// Implements `showsAnothers`.
    func anothers(in channel: ChannelID, _ process: Int) -> [Message] {
        let device = processes[process].device
        let records = expected.created.compactMap { expected.records[$0] }
        let anothers = records.filter { record in
            record.device == device && record.item.channel == channel && !isHome(record, process)
        }
        return anothers.compactMap(\.item.message)
    }
}
