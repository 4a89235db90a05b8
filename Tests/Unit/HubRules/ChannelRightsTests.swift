import CausewayHubRules
import CausewayRecords
import Testing

/// The table of rights: verb × standing, for a public and for a private channel.
@Suite struct ChannelRightsTests {
    /// The rights of owner, moderator, member, non-member and removed account: `x` always, `p` in a public channel.
    static let table: [(ChannelRights.Verb, String)] = [
        (.readChannel, "x x x p p"),
        (.readMembers, "x x x - -"),
        (.readMessages, "x x x - -"),
        (.send, "x x x - -"),
        (.editOwn, "x x x - -"),
        (.react, "x x x - -"),
        (.deleteOwn, "x x x x x"),
        (.deleteOthers, "x x - - -"),
        (.updateChannel, "x x - - -"),
        (.add(.member), "x x - - -"),
        (.add(.moderator), "x - - - -"),
        (.add(.owner), "x - - - -"),
        (.remove(.member), "x x - - -"),
        (.remove(.moderator), "x - - - -"),
        (.remove(.owner), "x - - - -"),
        (.setRole, "x - - - -"),
        (.join, "x x x p -"),
        (.leave, "x x x - -"),
    ]

    @Test func theTableIsComplete() {
        #expect(Set(Self.table.map(\.0)) == Set(ChannelRights.Verb.allCases))
        #expect(Self.table.count == ChannelRights.Verb.allCases.count)
        #expect(
            ChannelRights.Standing.allCases == [.owner, .moderator, .member, .nonMember, .removed])
    }

    @Test(arguments: table.indices, [true, false]) func everyRightIsThatOfTheTable(index: Int, isPublic: Bool) {
        let (verb, row) = Self.table[index]
        for (standing, cell) in zip(ChannelRights.Standing.allCases, row.split(separator: " ")) {
            let expected = cell == "x" || cell == "p" && isPublic
            #expect(
                ChannelRights.allows(verb, standing, isPublic: isPublic) == expected, "\(verb) by \(standing)")
        }
    }
}
