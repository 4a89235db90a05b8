package import CausewayModels
package import CausewayRecords

/// The rules of channels: every account reads a public one, members read any; owners and moderators update it.
package enum ChannelRules: RecordRules {
    package typealias Value = Channel

    package static func keys(toRead id: ChannelID, by account: UserID) -> RecordKeys {
        .rights(of: account, in: id)
    }

    package static func mayRead(_ channel: Channel, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        ChannelRights.allows(
            .readChannel, records.standing(of: account, in: channel.id), isPublic: channel.isPublic)
    }

    package static func keys(toRead list: RecordList, by account: UserID) -> RecordKeys? {
        list == Channel.openToAll || list == Channel.created(by: account) ? RecordKeys() : nil
    }

    package static func mayRead(_ list: RecordList, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        true
    }

    /// An account may have created a channel, and be no member of it any more.
    package static func mayHide(_ list: RecordList) -> Bool { list != Channel.openToAll }

    package static func topics(of channel: Channel) -> [LogTopic] { [.channel(channel.id)] }

    // MARK: - Writes

    package static func keys(of write: RecordWrite, by account: UserID) -> RecordKeys {
        guard let action = try? ChannelAction(write) else { return RecordKeys() }
        switch action {
        case .update(let id, _): return .rights(of: account, in: id)
        case .create(let id, _):
            var keys = RecordKeys.rights(of: account, in: id)
            keys.counted = [Channel.all, Channel.created(by: account), ChannelMember.channels(of: account)]
            return keys
        }
    }

    package static func decide(
        _ write: RecordWrite, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) -> WriteDecision {
        do throws(RecordProblem) {
            switch try ChannelAction(write) {
            case .create(let id, let settings):
                return .accepted(version: try create(id, settings, by: account, at: now, &records))
            case .update(let id, let settings):
                if let problem = records.refusal(.updateChannel, by: account, in: id) { throw problem }
                guard let channel = records.channel(id) else { throw .channelNotFound(id) }
                return .accepted(version: records.put(channel.with(settings)))
            }
        } catch {
            return .refused(error)
        }
    }

    /// - Parameter creator: the owner; `nil` for the operator, who creates channels without members.
    static func create(
        _ id: ChannelID, _ settings: ChannelSettings, by creator: UserID?, at now: Timestamp,
        _ records: inout RecordTransaction
    ) throws(RecordProblem) -> Int64 {
        guard records.channel(id) == nil else {
            throw RecordProblem(code: "channelExists", detail: "a channel named \(id) exists already")
        }
        guard records.count(of: Channel.all) < ChannelLimits.channelsMax else {
            throw .tooMany("channels", on: "the hub", ChannelLimits.channelsMax)
        }
        var channel = Channel(id: id, createdBy: creator, createdAt: now).with(settings)
        guard let creator else { return records.put(channel) }
        guard records.count(of: Channel.created(by: creator)) < ChannelLimits.channelsPerCreatorMax else {
            throw .tooMany("channels", on: "one account that created them", ChannelLimits.channelsPerCreatorMax)
        }
        guard records.count(of: ChannelMember.channels(of: creator)) < ChannelLimits.channelsPerMemberMax else {
            throw .tooMany("channels", on: "one member", ChannelLimits.channelsPerMemberMax)
        }
        channel.memberCount = 1
        records.put(ChannelMember(channel: id, user: creator, role: .owner, joinedAt: now))
        return records.put(channel)
    }
}

extension Channel {
    fileprivate func with(_ settings: ChannelSettings) -> Channel {
        var channel = self
        if let name = settings.name { channel.name = name }
        if let metadata = settings.metadata { channel.metadata = metadata }
        if let isPublic = settings.isPublic { channel.isPublic = isPublic }
        return channel
    }
}

extension RecordProblem {
    static func tooMany(_ things: String, on owner: String, _ limit: Int) -> RecordProblem {
        RecordProblem(code: "tooMany", detail: "the limit of \(limit) \(things) of \(owner) is reached")
    }
}
