import CausewayHubRules
import CausewayModels
import Testing

@Suite struct LineageRulesTests {
    private static func opening(_ number: UInt64) -> OpeningID { OpeningID(UUIDv7(high: 1, low: number)) }

    private static func claim(
        epoch: Int64 = 1, _ opening: UInt64? = nil, after ancestors: [UInt64] = [], base: Int64 = 0
    ) -> LineageRules.Claim {
        LineageRules.Claim(
            epoch: epoch, opening: opening.map(Self.opening), ancestors: ancestors.map(Self.opening), base: base)
    }

    private static func admit(
        _ claim: LineageRules.Claim, highest: Int64 = 1, last: UInt64? = nil, isBarred: Bool = false, mark: Int64 = 0,
        mover: UInt64? = nil, operation: UInt64? = nil, links: [(Int64, Int64, UInt64)] = []
    ) -> (LineageRules.Verdict, LineageRules) {
        var rules = LineageRules(highest: highest, opening: last.map(opening))
        let verdict = rules.admit(
            claim, isBarred: isBarred,
            lane: .init(mark: mark, mover: mover.map(opening), operation: operation.map(message)),
            links: links.map { LineageRules.Link(previous: $0, sequence: $1, id: message($2)) })
        return (verdict, rules)
    }

    private static func message(_ number: UInt64) -> MessageID { MessageID(UUIDv7(high: 2, low: number)) }

    @Test func aNewOutboxIsAdmitted() {
        let (verdict, rules) = Self.admit(Self.claim(1), highest: 0)
        #expect(verdict == .admitted)
        #expect(rules == LineageRules(highest: 1, opening: Self.opening(1)))
    }

    @Test func theSameOpeningAndItsDescendantsAreAdmitted() {
        #expect(Self.admit(Self.claim(2), last: 2).0 == .admitted)
        let (verdict, rules) = Self.admit(Self.claim(epoch: 4, 4, after: [3, 2, 1]), highest: 2, last: 2)
        #expect(verdict == .admitted)
        #expect(rules == LineageRules(highest: 4, opening: Self.opening(4)))
    }

    /// A copy that was opened more often is still a copy, whatever the epochs.
    @Test(arguments: [1, 2, 9] as [Int64])
    func aCopyIsForkedOnceTheOtherHasDelivered(epoch: Int64) {
        let (verdict, rules) = Self.admit(Self.claim(epoch: epoch, 3, after: [1]), highest: 2, last: 2)
        #expect(verdict == .forked)
        #expect(rules == LineageRules(highest: 2, opening: Self.opening(2)))
    }

    @Test func aCopyThatWasTakenInTheMiddleOfAnOpeningIsFoundByTheMark() {
        let moved = Self.admit(Self.claim(2, after: [1], base: 5), last: 1, mark: 6, mover: 1)
        #expect(moved.0 == .forkedInside)
        #expect(moved.1.opening == Self.opening(1))
        #expect(Self.admit(Self.claim(2, after: [1], base: 6), last: 1, mark: 6, mover: 1).0 == .admitted)
        #expect(Self.admit(Self.claim(2, after: [1], base: 5), last: 2, mark: 9, mover: 2).0 == .admitted)
        #expect(Self.admit(Self.claim(2, after: [1], base: 5), last: 1, mark: 9, mover: nil).0 == .admitted)
        #expect(Self.admit(Self.claim(2, after: [1], base: 5), last: 1, isBarred: true).0 == .forked)
    }

    /// The store's chain is 6, 8, 15: it transmitted 15 in an opening that never reached the hub, so that its base says
    /// nothing about a mark below it. The copy has delivered a message that this store had not sent.
    @Test(arguments: [
        (mark: Int64(6), LineageRules.Verdict.admitted), (8, .admitted), (15, .admitted), (7, .forkedInside),
        (14, .forkedInside), (16, .forkedInside),
    ])
    func aMarkThatTheStoreLeftOutWasMovedByACopy(mark: Int64, verdict: LineageRules.Verdict) {
        let links: [(Int64, Int64, UInt64)] = [(6, 8, 8), (8, 15, 15)]
        for operation in [nil, UInt64(mark)] {
            let claim = Self.claim(3, after: [2, 1], base: 15)
            let admission = Self.admit(claim, last: 1, mark: mark, mover: 1, operation: operation, links: links)
            #expect(admission.0 == verdict)
        }
        let own = Self.admit(
            Self.claim(3, base: 15), last: 3, mark: mark, mover: 3, operation: UInt64(mark), links: links)
        #expect(own.0 == .admitted, "it has moved the mark itself")
        let unknown = Self.admit(Self.claim(3, after: [1], base: 15), last: 1, mark: 14, mover: nil, links: links)
        #expect(unknown.0 == .admitted)
    }

    /// Both copies have given the sequence to an operation of their own.
    @Test func aSequenceWithAnotherOperationWasUsedByACopy() {
        let claim = Self.claim(3, after: [2, 1], base: 15)
        let links: [(Int64, Int64, UInt64)] = [(6, 8, 8), (8, 15, 15)]
        func verdict(_ operation: UInt64?) -> LineageRules.Verdict {
            Self.admit(claim, last: 1, mark: 15, mover: 1, operation: operation, links: links).0
        }
        #expect(verdict(15) == .admitted)
        #expect(verdict(99) == .forkedInside)
        #expect(verdict(nil) == .admitted, "a hub of an earlier version did not keep it")
    }

    @Test func aClientWithoutOpeningsGoesByItsEpoch() {
        #expect(Self.admit(Self.claim(epoch: 3), highest: 3).0 == .admitted)
        let (verdict, rules) = Self.admit(Self.claim(epoch: 2), highest: 3, last: 7)
        #expect(verdict == .superseded)
        #expect(rules == LineageRules(highest: 3, opening: Self.opening(7)))
        #expect(Self.admit(Self.claim(epoch: 3), highest: 3, last: 7).1.opening == nil)
    }

    @Test func theFirstOpeningAfterAnOlderClientGoesByItsEpoch() {
        #expect(Self.admit(Self.claim(epoch: 3, 1), highest: 3).0 == .admitted)
        #expect(Self.admit(Self.claim(epoch: 2, 1), highest: 3).0 == .forked)
    }
}
