import CausewayHubRules
import CausewayModels
import Testing

/// Which changes of memberships a look at the log need not publish.
@Suite struct PublishedMembershipsTests {
    private static func account(_ name: String) throws -> LogTopic { .account(try #require(UserID(name))) }

    @Test func aLaterChangeIsNotPublished() throws {
        var published = PublishedMemberships(countMax: 10)
        let ann = try Self.account("ann")
        #expect(!published.contains(ann, at: 1))
        published.note([ann], upTo: 5)
        #expect(published.contains(ann, at: 4) && published.contains(ann, at: 5))
        #expect(!published.contains(ann, at: 6), "of another process")
        #expect(try !published.contains(Self.account("bob"), at: 5))
        // Two commits whose publications overtake each other.
        published.note([ann], upTo: 3)
        #expect(published.contains(ann, at: 5))
    }

    @Test func channelsAreNotNoted() throws {
        var published = PublishedMemberships(countMax: 10)
        let general = LogTopic.channel(try #require(ChannelID("general")))
        published.note([general], upTo: 5)
        #expect(published.count == 0 && !published.contains(general, at: 5))
    }

    @Test func whatALookHasFoundIsForgotten() throws {
        var published = PublishedMemberships(countMax: 10)
        let (ann, bob) = (try Self.account("ann"), try Self.account("bob"))
        published.note([ann], upTo: 5)
        published.note([bob], upTo: 6)
        published.removeAll(upTo: 5)
        #expect(published.count == 1 && !published.contains(ann, at: 5) && published.contains(bob, at: 6))
    }

    @Test func theyAreBounded() throws {
        var published = PublishedMemberships(countMax: 2)
        for (index, name) in ["a", "b", "c"].enumerated() {
            published.note([try Self.account(name)], upTo: Int64(index + 1))
        }
        #expect(try published.count == 2 && !published.contains(Self.account("c"), at: 3))
        // One that is known has room.
        published.note([try Self.account("a")], upTo: 9)
        #expect(try published.contains(Self.account("a"), at: 9))
    }
}
