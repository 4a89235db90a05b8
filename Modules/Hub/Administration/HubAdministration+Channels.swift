internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
package import CausewayModels
package import CausewayRecords

/// The channels of a hub and their members. The operator is bound by no rights: these calls repair them.
extension HubAdministration {
    /// Creates a channel unless it exists; the operator is not limited in their number.
    ///
    /// - Parameter owner: the account that becomes its owner; without one it has no members, and no owner.
    /// - Returns: the channel, and whether this call created it.
    /// - Throws: `refused` with `accountNotFound`, `tooMany`; `storage`.
    package func addChannel(
        _ id: ChannelID, isPublic: Bool = true, owner: UserID? = nil
    ) async throws(HubError) -> (channel: Channel, isNew: Bool) {
        let settings = ChannelSettings(isPublic: isPublic)
        let isNew = try await changing(id, users: owner.map { [$0] } ?? []) { now, records throws(RecordProblem) in
            guard try ChannelOperations.add(id, settings, at: now, &records) else { return false }
            if let owner {
                try ChannelOperations.setMember(
                    ChannelMemberID(channel: id, user: owner), .owner, at: now, &records)
            }
            return true
        }
        guard let channel = try await channel(id) else {
            throw .refused(RecordProblem(code: "channelNotFound", detail: "no channel named \(id)"))
        }
        return (channel, isNew)
    }

    /// Removes a channel that never had a message, with its memberships.
    ///
    /// - Throws: `refused` with `channelNotFound`, `channelInUse`, or `membersUnknown` if the members that are listed
    ///   are never all of them: they change all the time, or the row of one is damaged; `storage`.
    package func removeChannel(_ id: ChannelID) async throws(HubError) {
        for _ in 0..<HubLimits.channelRemovalsMax {
            let members = try await members(of: id).map(\.user)
            let isRemoved = try await changing(id, users: members) { _, records throws(RecordProblem) in
                try ChannelOperations.remove(id, members: members, &records)
            }
            if isRemoved { return }
        }
        throw .refused(
            RecordProblem(
                code: "membersUnknown",
                detail: "the members of the channel \(id) change all the time, or one of their rows is damaged"))
    }

    /// Returns the channel; `nil` when there is none with this name.
    package func channel(_ id: ChannelID) async throws(HubError) -> Channel? {
        let state = try await storing { () async throws(HubStorageError) in
            try await storage.records(ChannelOperations.keys(of: id, users: []))
        }
        var records = RecordTransaction(state)
        return records.channel(id)
    }

    /// Returns all channels by their ids.
    package func channels() async throws(HubError) -> [Channel] { try await all(Channel.self, in: Channel.all) }

    /// Returns the members of a channel by the time when they joined.
    package func members(of id: ChannelID) async throws(HubError) -> [ChannelMember] {
        try await all(ChannelMember.self, in: ChannelMember.members(of: id))
    }

    /// Makes an account a member, also one that was removed, or changes its role.
    ///
    /// - Throws: `refused` with `channelNotFound` or `accountNotFound`; `storage`.
    package func setMember(_ id: ChannelMemberID, _ role: ChannelRole) async throws(HubError) {
        try await changing(id.channel, users: [id.user]) { now, records throws(RecordProblem) in
            try ChannelOperations.setMember(id, role, at: now, &records)
        }
    }

    /// Ends a membership, also that of the last owner; the account can join again. For an account that was removed by a
    /// member, only allows it to join again.
    ///
    /// - Throws: `refused` with `channelNotFound` or `memberNotFound`; `storage`.
    package func removeMember(_ id: ChannelMemberID) async throws(HubError) {
        try await changing(id.channel, users: [id.user]) { _, records throws(RecordProblem) in
            try ChannelOperations.removeMember(id, &records)
        }
    }

    /// Runs a change in one transaction.
    private func changing<Value: Sendable>(
        _ id: ChannelID, users: [UserID],
        _ body: @escaping @Sendable (Timestamp, inout RecordTransaction) throws(RecordProblem) -> Value
    ) async throws(HubError) -> Value {
        let now = SystemClock.now()
        let (result, topics) = try await storing { () async throws(HubStorageError) in
            try await storage.changeRecords(loading: ChannelOperations.keys(of: id, users: users)) {
                state -> RecordDecision<(Result<Value, RecordProblem>, Set<LogTopic>)> in
                var records = RecordTransaction(state)
                do throws(RecordProblem) {
                    let value = try body(now, &records)
                    let changes = records.changes(.standard)
                    return RecordDecision(changes: changes, value: (.success(value), changes.topics))
                } catch {
                    return RecordDecision(changes: [:], value: (.failure(error), []))
                }
            }
        }
        await notifier?.publish(topics, in: storage)
        switch result {
        case .success(let value): return value
        case .failure(let problem): throw .refused(problem)
        }
    }

    private func all<Value: Record>(_ type: Value.Type, in list: RecordList) async throws(HubError) -> [Value] {
        var found: [Value] = []
        var range = RecordRange()
        repeat {
            let page = try await storing { [range] () async throws(HubStorageError) in
                try await storage.records(
                    in: list, range, limit: PageLimit(count: Limits.pageSizeMax, contentBytes: HubLimits.pageBytesMax))
            }
            found += page.rows.compactMap { row in
                row.value.flatMap { try? RecordCoding.decode(type, from: Array($0.utf8), version: row.version) }
            }
            range.after = page.next
        } while range.after != nil
        return found
    }
}
