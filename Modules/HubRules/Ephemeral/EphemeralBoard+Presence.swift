package import CausewayModels

/// Presence: an account is present in its channels while it has a reader, and for a while afterwards.
extension EphemeralBoard {
    /// An account has a reader, or is in other channels than before.
    ///
    /// - Parameter channels: those in which it is shown; of too many only the first ones.
    /// - Complexity: O(channels), up to ``Limits/presentChannelsMax``.
    package mutating func arrive(_ user: UserID, in channels: [ChannelID]) {
        presenceEnds.remove(user)
        let wanted = Array(channels.prefix(limits.presentChannelsMax))
        if presence[user]?.channels == wanted {
            presence[user]?.isConnected = true
            return
        }
        guard presence[user] != nil || presence.count < limits.presentMax else { return }
        let former = Set(presence[user]?.channels ?? [])
        for channel in former.subtracting(wanted) { removePresence(of: user, in: channel) }
        var shown: [ChannelID] = []
        for channel in wanted {
            if self.channels[channel]?.present.contains(user) == true {
                shown.append(channel)
                continue
            }
            guard self.channels[channel]?.present.count ?? 0 < limits.presentPerChannelMax, makeRoom(for: channel)
            else { continue }
            self.channels[channel, default: Channel()].present.insert(user)
            notePresence(channel)
            shown.append(channel)
        }
        // Without the channels that are full: the next arrival tries again.
        presence[user] = Presence(channels: shown)
    }

    /// The last reader of an account has left. It stays present for ``Limits/presenceGrace``.
    package mutating func depart(_ user: UserID, at now: MonotonicTime) {
        guard presence[user]?.isConnected == true else { return }
        presence[user]?.isConnected = false
        presenceEnds.set(user, end: now + limits.presenceGrace)
    }

    /// An account is not present any more.
    package mutating func withdraw(_ user: UserID) {
        presenceEnds.remove(user)
        guard let ended = presence.removeValue(forKey: user) else { return }
        for channel in ended.channels { removePresence(of: user, in: channel) }
    }

    /// An account may not be a member of these channels any more.
    ///
    /// - Complexity: O(channels in which it is present), whatever the number of these.
    package mutating func withdraw(_ user: UserID, from left: Set<ChannelID>) {
        guard let known = presence[user]?.channels else { return }
        presence[user]?.channels = known.filter { !left.contains($0) }
        for channel in known where left.contains(channel) { removePresence(of: user, in: channel) }
    }

    /// Returns the channels in which presence has changed since the last call: their readers are to be woken, but not
    /// necessarily at once.
    package mutating func takePresenceChanges() -> Set<ChannelID> {
        defer { presenceChanges = [] }
        return presenceChanges
    }

    private mutating func removePresence(of user: UserID, in channel: ChannelID) {
        guard channels[channel]?.present.remove(user) != nil else { return }
        notePresence(channel)
    }

    private mutating func notePresence(_ channel: ChannelID) {
        noteChange(channel)
        presenceChanges.insert(channel)
    }
}
