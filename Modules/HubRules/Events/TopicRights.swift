package import CausewayModels
internal import CausewayRecords

/// The topics of the log that one account may read; free of I/O.
///
/// | topic | read by |
/// | --- | --- |
/// | a channel | its members, from the moment at which the membership exists until it is deleted |
/// | an account | this account |
///
/// Decided whenever the log is read, by the records of that moment.
package struct TopicRights: Sendable, Hashable {
    package enum Access: Sendable, Hashable {
        case always, never
        /// As long as this record exists.
        case whileExists(RecordKey)
    }

    package let account: UserID

    package init(of account: UserID) { self.account = account }

    /// The topic of the account itself.
    package var own: LogTopic { .account(account) }

    package func access(to topic: LogTopic) -> Access {
        switch topic {
        case .account(let other): other == account ? .always : .never
        case .channel(let id):
            .whileExists(RecordKey(ChannelMember.self, ChannelMemberID(channel: id, user: account)))
        }
    }

    /// The list of the records that give access to topics.
    package var grants: RecordList { ChannelMember.channels(of: account) }

    /// The topic to which a record gives the account access; `nil` for any other record.
    package func topic(grantedBy key: RecordKey) -> LogTopic? {
        guard key.kind == ChannelMember.kind, let id = ChannelMemberID(key.id), id.user == account else { return nil }
        return .channel(id.channel)
    }
}
