import CausewayHubRules
import CausewayModels
import CausewayRecords
import Testing

/// Channels and memberships as the hub decides about them.
@Suite struct ChannelRulesTests {
    /// A public channel `open` and a private one `closed`, both of ann, with the moderator mo and the member max; ray
    /// was removed from both; zoe never was in either.
    private static func site() throws -> RecordSite {
        var site = try RecordSite(users: ["ann", "mo", "max", "ray", "zoe"])
        for (id, isPublic) in [("open", true), ("closed", false)] {
            let settings = ChannelSettings(isPublic: isPublic)
            try #require(try site.channel(ChannelAction.create, id, settings, by: "ann") == "accepted")
            try site.member(.add(.moderator), "\(id)/mo", by: "ann")
            try site.member(.add(.member), "\(id)/max", by: "mo")
            try site.member(.add(.member), "\(id)/ray", by: "mo")
            try site.member(.remove, "\(id)/ray", by: "mo")
        }
        return site
    }

    private static let accounts = ["ann", "mo", "max", "zoe", "ray"]

    /// The result of each write for each account: `a` accepted, `n` not a member, `f` forbidden, `-` no such channel,
    /// `l` the last owner.
    private typealias Write = @Sendable (inout RecordSite, _ channel: String, _ account: String) throws -> String

    private static let writes: [(String, open: String, closed: String, Write)] = [
        ("update", "a a f n n", "a a f - n", { try $0.channel(ChannelAction.update, $1, .init(name: "x"), by: $2) }),
        ("add", "a a f n n", "a a f - n", { try $0.member(.add(.member), "\($1)/new", by: $2) }),
        ("add a moderator", "a f f n n", "a f f - n", { try $0.member(.add(.moderator), "\($1)/new", by: $2) }),
        ("remove", "a a f n n", "a a f - n", { try $0.member(.remove, "\($1)/last", by: $2) }),
        ("set a role", "a f f n n", "a f f - n", { try $0.member(.setRole(.moderator), "\($1)/last", by: $2) }),
        ("join", "a a a a n", "a a a - n", { try $0.member(.join, "\($1)/\($2)", by: $2) }),
        ("leave", "l a a n n", "l a a - n", { try $0.member(.leave, "\($1)/\($2)", by: $2) }),
    ]

    @Test(arguments: writes.indices) func writesFollowTheRights(index: Int) throws {
        let (name, open, closed, write) = Self.writes[index]
        let codes: [Character: String] = [
            "a": "accepted", "n": "notMember", "f": "forbidden", "-": "channelNotFound", "l": "lastOwner",
        ]
        for (id, row) in [("open", open), ("closed", closed)] {
            for (account, cell) in zip(Self.accounts, row.split(separator: " ")) {
                var site = try Self.site()
                site.users.formUnion([try #require(UserID("new")), try #require(UserID("last"))])
                try site.member(.add(.member), "\(id)/last", by: "ann")
                #expect(try write(&site, id, account) == codes[Character(String(cell))], "\(name) \(id) by \(account)")
            }
        }
    }

    @Test func recordsAndListsAreReadByTheirReaders() throws {
        let site = try Self.site()
        let id = try #require(ChannelID("closed"))
        for account in Self.accounts {
            let isMember = ["ann", "mo", "max"].contains(account)
            #expect(try site.mayRead(Channel.self, "open", by: account))
            #expect(try site.mayRead(Channel.self, "closed", by: account) == isMember)
            #expect(try site.mayRead(ChannelMember.self, "open/max", by: account) == isMember)
            #expect(try site.mayRead(ChannelMember.members(of: id), by: account) == isMember)
            #expect(try site.mayRead(ChannelMember.members(of: id, with: .owner), by: account) == isMember)
            let user = try #require(UserID(account))
            #expect(try site.mayRead(ChannelMember.channels(of: user), by: account))
            #expect(try site.mayRead(Channel.created(by: user), by: account))
            #expect(try site.mayRead(Channel.openToAll, by: account))
            #expect(try !site.mayRead(Channel.all, by: account))
        }
        let ann = try #require(UserID("ann"))
        #expect(try !site.mayRead(ChannelMember.channels(of: ann), by: "max"))
        #expect(try !site.mayRead(Channel.created(by: ann), by: "max"))
        #expect(try !site.mayRead(ChannelMember.self, "open/ray", by: "ann"), "a deleted record")
        #expect(try !site.mayRead(Channel.self, "none", by: "ann"))
        #expect(try !site.mayRead(RecordList(kind: ChannelMember.kind, name: "byRole", scope: "closed/x"), by: "ann"))
        #expect(try !site.mayRead(RecordList(kind: "unknown", name: "all"), by: "ann"))
    }

    @Test func theLastOwnerStays() throws {
        var site = try Self.site()
        #expect(try site.member(.leave, "open/ann", by: "ann") == "lastOwner")
        #expect(try site.member(.setRole(.member), "open/ann", by: "ann") == "lastOwner")
        #expect(try site.member(.remove, "open/ann", by: "ann") == "forbidden")
        #expect(try site.member(.setRole(.owner), "open/max", by: "ann") == "accepted")
        #expect(try site.member(.leave, "open/ann", by: "ann") == "accepted")
        #expect(try site.member(.leave, "open/max", by: "max") == "lastOwner")
        #expect(try site.channel("open")?.memberCount == 2)
    }

    @Test func aWriteWhoseEffectIsThereChangesNothing() throws {
        var site = try Self.site()
        let before = site.rows
        #expect(try site.member(.join, "open/max", by: "max") == "accepted")
        #expect(try site.member(.add(.owner), "open/max", by: "ann") == "accepted", "the role stays")
        #expect(try site.member(.setRole(.member), "open/max", by: "ann") == "accepted")
        #expect(try site.member(.remove, "open/ray", by: "ann") == "accepted")
        #expect(site.rows == before)
        try site.member(.leave, "open/max", by: "max")
        let left = site.rows
        #expect(try site.member(.leave, "open/max", by: "max") == "accepted")
        #expect(site.rows == left)
    }

    @Test func anAccountThatLeftMayReturnAndOneThatWasRemovedIsAdded() throws {
        var site = try Self.site()
        try site.member(.leave, "open/max", by: "max")
        #expect(try site.member(.join, "open/max", by: "max") == "accepted")
        #expect(try site.member(.join, "open/ray", by: "ray") == "notMember")
        #expect(try site.member(.add(.member), "open/ray", by: "mo") == "accepted")
        #expect(try site.member(.leave, "open/ray", by: "ray") == "accepted")
        #expect(try site.member(.join, "open/ray", by: "ray") == "accepted", "the removal is forgotten")
        // One that has left can be kept from returning.
        try site.member(.leave, "open/max", by: "max")
        #expect(try site.member(.remove, "open/max", by: "mo") == "accepted")
        #expect(try site.member(.join, "open/max", by: "max") == "notMember")
    }

    @Test func onlyOneselfJoinsAndOnlyAccountsAreAdded() throws {
        var site = try Self.site()
        #expect(try site.member(.join, "open/zoe", by: "ann") == "forbidden")
        #expect(try site.member(.leave, "open/max", by: "ann") == "forbidden")
        #expect(try site.member(.add(.member), "open/nobody", by: "ann") == "accountNotFound")
        #expect(try site.member(.remove, "open/zoe", by: "ann") == "memberNotFound")
        #expect(try site.member(.setRole(.owner), "open/zoe", by: "ann") == "memberNotFound")
        #expect(try site.channel(ChannelAction.create, "open", by: "zoe") == "channelExists")
        #expect(try site.write(RecordWrite(kind: "unknown", record: "x", action: "y"), by: "ann") == "kindUnknown")
    }

    @Test func aChannelBeginsWithItsOwner() throws {
        var site = try RecordSite(users: ["ann"])
        site.floor = 1 << 33
        let settings = ChannelSettings(name: "Name", metadata: .object(["k": .integer(1)]))
        try site.channel(ChannelAction.create, "new", settings, by: "ann")
        let channel = try #require(try site.channel("new"))
        #expect(channel.name == "Name" && channel.isPublic)
        #expect(channel.memberCount == 1 && channel.createdBy?.value == "ann")
        #expect(channel.version == (1 << 33) + 1, "above the floor of the history")
        #expect(site.ids(of: ChannelMember.members(of: channel.id, with: .owner)) == ["new/ann"])
        #expect(channel.lastActivityAt == channel.createdAt)
    }

    // MARK: - Limits

    @Test func anAccountCreatesALimitedNumberOfChannels() throws {
        var site = try RecordSite(users: ["ann", "bob"])
        for number in 0..<ChannelLimits.channelsPerCreatorMax {
            try #require(try site.channel(ChannelAction.create, "c\(number)", by: "ann") == "accepted")
        }
        #expect(try site.channel(ChannelAction.create, "more", by: "ann") == "tooMany")
        #expect(try site.channel(ChannelAction.create, "more", by: "bob") == "accepted")
        #expect(try site.member(.join, "more/ann", by: "ann") == "accepted")
    }

    /// A channel and a list at their limits, without the rows.
    @Test func membersAndMembershipsAreLimited() throws {
        let user = try #require(UserID("zoe"))
        let id = try #require(ChannelID("open"))
        let join = ChannelMemberAction(.join, ChannelMemberID(channel: id, user: user)).write
        for (members, channels, expected) in [
            (ChannelLimits.membersPerChannelMax - 1, ChannelLimits.channelsPerMemberMax - 1, "accepted"),
            (ChannelLimits.membersPerChannelMax, 0, "tooMany"), (1, ChannelLimits.channelsPerMemberMax, "tooMany"),
        ] {
            var channel = Channel(id: id, createdBy: nil, createdAt: Timestamp(milliseconds: 1))
            channel.memberCount = Int64(members)
            var state = RecordState(floor: 0)
            let key = RecordKey(Channel.self, id)
            state.rows[key] = RecordRow(
                key: key, version: 1, value: String(decoding: try RecordCoding.encode(channel), as: UTF8.self))
            state.counts[ChannelMember.channels(of: user)] = channels
            var records = RecordTransaction(state)
            let decision = HubKinds.standard.decide(join, by: user, at: Timestamp(milliseconds: 2), &records)
            switch decision {
            case .accepted: #expect(expected == "accepted")
            case .refused(let code, _): #expect(code == expected)
            }
        }
    }

    // MARK: - The operator

    @Test func theOperatorIsBoundByNoRights() throws {
        var site = try Self.site()
        func change(_ body: (inout RecordTransaction) throws -> Void) throws -> RecordSite {
            var site = site
            let users = try ["ann", "ray", "max"].map { try #require(UserID($0)) }
            var records = RecordTransaction(
                site.state(ChannelOperations.keys(of: try #require(ChannelID("closed")), users: users)))
            try body(&records)
            site.store(records.changes(.standard))
            return site
        }
        let ray = try #require(ChannelMemberID("closed/ray"))
        let ann = try #require(ChannelMemberID("closed/ann"))
        let now = Timestamp(milliseconds: 900)
        site = try change { try ChannelOperations.setMember(ray, .owner, at: now, &$0) }
        #expect(try site.channel("closed")?.memberCount == 4)
        site = try change { try ChannelOperations.removeMember(ann, &$0) }
        #expect(try site.member(.setRole(.moderator), "closed/max", by: "ray") == "accepted")
        site = try change { try ChannelOperations.removeMember(ray, &$0) }
        #expect(try site.channel("closed")?.memberCount == 2)
        #expect(site.ids(of: ChannelMember.members(of: ray.channel, with: .owner)) == [], "a channel without an owner")
        let nobody = try #require(ChannelMemberID("closed/nobody"))
        #expect(throws: RecordProblem.self) {
            _ = try change { try ChannelOperations.setMember(nobody, .member, at: now, &$0) }
        }
    }

    @Test func onlyAChannelWithoutMessagesIsRemoved() throws {
        var site = try RecordSite(users: ["ann", "bob"])
        try site.channel(ChannelAction.create, "c", by: "ann")
        try site.member(.join, "c/bob", by: "bob")
        let id = try #require(ChannelID("c"))
        let users = try ["ann", "bob"].map { try #require(UserID($0)) }
        var records = RecordTransaction(site.state(ChannelOperations.keys(of: id, users: users)))
        #expect(try !ChannelOperations.remove(id, members: [users[0]], &records), "one more has joined")
        #expect(try ChannelOperations.remove(id, members: users, &records))
        site.store(records.changes(.standard))
        #expect(try site.channel("c") == nil && site.ids(of: ChannelMember.members(of: id)) == [])
        #expect(try site.channel(ChannelAction.create, "c", by: "bob") == "accepted", "the name is free")
        records = RecordTransaction(site.state(ChannelOperations.keys(of: id, users: users)))
        var messages = AcceptedMessages(in: id, acceptedAt: Timestamp(milliseconds: 1))
        messages.append(at: 1, isDeleted: true)
        records.note(messages)
        #expect(throws: RecordProblem.self) { _ = try ChannelOperations.remove(id, members: users, &records) }
    }
}
