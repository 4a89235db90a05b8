import CausewayHubRules
import CausewayModels
import Testing

/// Whether memberships have changed while they were being read.
@Suite struct MembershipChecksTests {
    private static func user(_ name: String) throws -> UserID { try #require(UserID(name)) }

    @Test func aChangeDuringACheckIsSeenByIt() throws {
        var checks = MembershipChecks()
        let (ann, bob) = (try Self.user("ann"), try Self.user("bob"))
        let first = checks.begin(ann)
        let others = checks.begin(bob)
        checks.noteChange(of: ann)
        // This one has read what is true since the change.
        let second = checks.begin(ann)
        let results = [
            checks.end(ann, begunAt: first), checks.end(ann, begunAt: second), checks.end(bob, begunAt: others),
        ]
        #expect(results == [false, true, true])
    }

    @Test func nothingIsKeptAfterTheLastCheck() throws {
        var checks = MembershipChecks()
        let ann = try Self.user("ann")
        checks.noteChange(of: ann)
        #expect(checks.count == 0, "nobody reads them")
        let (first, second) = (checks.begin(ann), checks.begin(ann))
        checks.noteChange(of: ann)
        let early = checks.end(ann, begunAt: first)
        #expect(!early && checks.count == 1)
        let late = checks.end(ann, begunAt: second)
        #expect(!late && checks.count == 0)
        let more = checks.end(ann, begunAt: second)
        #expect(!more, "a check that has ended")
    }
}
