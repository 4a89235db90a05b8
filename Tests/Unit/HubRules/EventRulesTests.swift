import CausewayHubRules
import CausewayModels
import CausewayRecords
import Testing

/// Topics, cursors, rights, and what of the read changes is sent.
@Suite struct EventRulesTests {
    private static func channel(_ name: String) throws -> LogTopic { .channel(try #require(ChannelID(name))) }
    private static func account(_ name: String) throws -> LogTopic { .account(try #require(UserID(name))) }
    private static func rights(_ name: String) throws -> TopicRights { TopicRights(of: try #require(UserID(name))) }

    private static func member(
        _ id: String, in topic: LogTopic, isNew: Bool = false, isDeleted: Bool = false
    ) throws -> LogChange {
        let key = RecordKey(ChannelMember.self, try #require(ChannelMemberID(id)))
        return LogChange(topic: topic, subject: .record(key), version: 1, isNew: isNew, isDeleted: isDeleted)
    }

    @Test func topicsAreNamed() throws {
        for name in ["channel:general", "channel:a:b", "account:ann@example.org"] {
            #expect(LogTopic(name: name)?.name == name)
        }
        #expect(LogTopic(name: "channel:a:b") == (try Self.channel("a:b")))
        for name in ["", "channel", "channel:", "channel:a b", "user:ann", "account:"] {
            #expect(LogTopic(name: name) == nil, "\(name)")
        }
    }

    @Test func membersReadAChannelAndAnAccountItsOwnTopic() throws {
        let ann = try Self.rights("ann")
        #expect(ann.access(to: ann.own) == .always)
        #expect(ann.access(to: try Self.account("bob")) == .never)
        let key = RecordKey(ChannelMember.self, try #require(ChannelMemberID("general/ann")))
        #expect(ann.access(to: try Self.channel("general")) == .whileExists(key))
        #expect(ann.topic(grantedBy: key) == (try Self.channel("general")))
        let other = RecordKey(ChannelMember.self, try #require(ChannelMemberID("general/bob")))
        #expect(ann.topic(grantedBy: other) == nil)
        #expect(ann.topic(grantedBy: RecordKey(kind: Channel.kind, id: "general")) == nil)
        #expect(ann.grants == ChannelMember.channels(of: ann.account))
    }

    @Test func aCursorIsText() throws {
        let bytes = (0..<16).map(UInt8.init)
        let cursor = LogCursor(history: bytes, opening: bytes.reversed(), position: 42)
        let text = "000102030405060708090a0b0c0d0e0f-0f0e0d0c0b0a09080706050403020100-42"
        #expect(cursor.text == text && LogCursor(text) == cursor)
        let id = String(repeating: "0", count: 32)
        let invalid = [
            "", "-", "x", "\(id)-\(id)", "\(id)-\(id)-", "\(id)-\(id)-x", "\(id)-\(id)--1", "\(id)-\(id)-+1",
            "\(id)-\(id)-01", "\(id)-\(id)-1-", "\(id)0-\(id)-1", "\(id.dropLast(2))-\(id)-1",
            "\(id)-\(id)-99999999999999999999",
        ]
        for text in invalid { #expect(LogCursor(text) == nil, "\(text)") }
    }

    /// Of the present history, reached by its opening, and not dropped.
    @Test func aCursorIsValidInItsHistory() {
        func isValid(_ position: Int64, last: Int64?, floor: Int64 = 0, in history: [UInt8] = [1]) -> Bool {
            LogCursor(history: [1], opening: [2], position: position).isValid(in: history, last: last, floor: floor)
        }
        #expect(isValid(5, last: 5) && isValid(0, last: 5) && isValid(3, last: 5, floor: 3))
        #expect(!isValid(6, last: 5), "beyond the end of its opening")
        #expect(!isValid(2, last: 5, floor: 3), "dropped")
        #expect(!isValid(5, last: nil), "an unknown opening")
        #expect(!isValid(5, last: 5, in: [9]), "another history")
        #expect(!isValid(4, last: 3, floor: 7), "an opening that ended before the floor")
    }

    @Test func anAccountThatBecameAMemberReadsPages() throws {
        let ann = try Self.rights("ann")
        let general = try Self.channel("general")
        let second = try Self.channel("second")
        let changes = [
            try Self.member("general/bob", in: general, isNew: true),
            try Self.member("general/ann", in: ann.own, isNew: true),
            try Self.member("general/ann", in: general, isNew: true),
            try Self.member("second/ann", in: ann.own),
            try Self.member("second/ann", in: second),
            try Self.member("third/ann", in: ann.own, isNew: true, isDeleted: true),
        ]
        let part = EventRules.part(of: changes, crowded: [], for: ann)
        #expect(part.limited == [general] && part.changes == [1, 3, 4, 5])
        // The topic is one of the reader's, its own is not.
        let some = EventRules.part(of: changes, crowded: [], for: ann, subscription: [general])
        #expect(some.limited == [general] && some.changes.isEmpty)
        let other = EventRules.part(of: changes, crowded: [], for: ann, subscription: [second])
        #expect(other.limited.isEmpty && other.changes == [4])
    }

    @Test func crowdedTopicsAreNamedOnce() throws {
        let ann = try Self.rights("ann")
        let general = try Self.channel("general")
        let second = try Self.channel("second")
        let changes = [try Self.member("general/ann", in: ann.own, isNew: true)]
        let part = EventRules.part(of: changes, crowded: [general, second], for: ann)
        #expect(part.limited == [general, second] && part.changes == [0])
        let some = EventRules.part(of: changes, crowded: [general, second], for: ann, subscription: [second, ann.own])
        #expect(some.limited == [second] && some.changes == [0])
    }

    /// The topics of changes, as the rules of the kinds name them.
    @Test func changesNameTheirTopics() throws {
        var site = try RecordSite(users: ["ann", "bob"])
        try site.channel(ChannelAction.create, "general", by: "ann")
        let user = try #require(UserID("ann"))
        let id = try #require(ChannelMemberID("general/bob"))
        let kinds = HubKinds.standard
        func changes(_ verb: ChannelMemberAction.Verb) throws -> [RecordKey: RecordChange] {
            let write = ChannelMemberAction(verb, id).write
            var records = RecordTransaction(site.state(kinds.keys(of: write, by: user)))
            _ = kinds.decide(write, by: user, at: Timestamp(milliseconds: 1), &records)
            return records.changes(kinds)
        }
        let general = try Self.channel("general")
        for (verb, isNew) in [
            (ChannelMemberAction.Verb.add(.member), true), (.setRole(.moderator), false), (.remove, false),
            (.add(.member), true),
        ] {
            let changes = try changes(verb)
            #expect(changes[RecordKey(ChannelMember.self, id)]?.topics == [general, try Self.account("bob")])
            #expect(changes[RecordKey(ChannelMember.self, id)]?.isNew == isNew, "\(verb)")
            #expect(changes[RecordKey(Channel.self, id.channel)]?.topics ?? [general] == [general])
            #expect(changes[RecordKey(Channel.self, id.channel)]?.isNew != true)
            #expect(changes.topics == [general, try Self.account("bob")])
            site.store(changes)
        }
    }
}
