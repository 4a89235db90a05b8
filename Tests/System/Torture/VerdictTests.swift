import CausewayModels
import Testing

/// Shows that each kind of violation is found.
@Suite struct VerdictTests {
    /// Two senders of ten messages each, all on the hub; the last of each was resent from the middle.
    private static var good: Evidence {
        var evidence = Evidence()
        for number in 1...10 {
            for sender in 1...2 {
                let line = TortureLine(sender: sender, number: number)
                let id = id(sender, number)
                evidence.offered.insert(line)
                evidence.accepted[id] = line
                evidence.hub.append(Evidence.Placed(id: id, line: line))
                evidence.store[id] = .synced
            }
        }
        let moved = evidence.hub.remove(at: 6)
        evidence.hub.append(moved)
        evidence.resent.insert(moved.id)
        evidence.storeBeforeResend = evidence.store
        evidence.storeBeforeResend[moved.id] = .error
        evidence.hubBeforeResend = Set(evidence.hub.map(\.id)).subtracting([moved.id])
        return evidence
    }

    private static func id(_ sender: Int, _ number: Int) -> MessageID {
        MessageID(UUIDv7(high: UInt64(sender), low: UInt64(number)))
    }

    @Test func whatIsRightIsFoundRight() {
        #expect(Verdict.all(Self.good).isEmpty)
    }

    @Test func whatWasAcceptedAndIsNotOnTheHubIsLost() {
        var evidence = Self.good
        evidence.hub.removeFirst()
        evidence.store[Self.id(1, 1)] = .created
        #expect(Verdict.all(evidence) == [.lost(TortureLine(sender: 1, number: 1))])
    }

    @Test func whatIsNeitherOnTheHubNorInTheStoreVanished() {
        var evidence = Self.good
        let id = Self.id(1, 4)
        evidence.storeBeforeResend[id] = nil
        #expect(Verdict.all(evidence) == [.vanished(TortureLine(sender: 1, number: 4))])
        // A message that is only marked as synced is no proof either.
        evidence.storeBeforeResend[id] = .synced
        #expect(Verdict.all(evidence) == [.vanished(TortureLine(sender: 1, number: 4))])
    }

    @Test func whatIsThereTwiceIsDoubled() {
        let line = TortureLine(sender: 2, number: 10)
        var sameID = Self.good
        sameID.hub.append(Evidence.Placed(id: Self.id(2, 10), line: line))
        #expect(Verdict.all(sameID) == [.doubled(line)])
        var sameText = Self.good
        sameText.hub.append(Evidence.Placed(id: Self.id(3, 1), line: line))
        #expect(Verdict.all(sameText) == [.doubled(line)])
    }

    @Test func whatNobodyOfferedIsForeign() {
        var evidence = Self.good
        let stranger = TortureLine(sender: 9, number: 1)
        evidence.hub.append(Evidence.Placed(id: Self.id(9, 1), line: stranger))
        #expect(Verdict.all(evidence) == [.foreign(stranger)])
        var exchanged = Self.good
        exchanged.accepted[Self.id(1, 1)] = TortureLine(sender: 1, number: 2)
        #expect(Verdict.foreign(exchanged) == [.foreign(TortureLine(sender: 1, number: 1))])
    }

    @Test func whatChangedPlacesIsOutOfOrder() {
        var evidence = Self.good
        evidence.hub.swapAt(0, 2)
        let (first, second) = (TortureLine(sender: 1, number: 1), TortureLine(sender: 1, number: 2))
        #expect(Verdict.all(evidence) == [.outOfOrder(first, behind: second)])
        // A resent message may be at any position.
        evidence.resent.insert(Self.id(1, 1))
        #expect(Verdict.all(evidence).isEmpty)
    }

    @Test func whatIsShownAsSyncedAndIsNotThereIsFound() {
        var shown = Self.good
        shown.shownSynced.insert(Self.id(5, 5))
        #expect(Verdict.all(shown) == [.notSynced(Self.id(5, 5))])
        var stored = Self.good
        stored.store[Self.id(5, 6)] = .synced
        #expect(Verdict.all(stored) == [.notSynced(Self.id(5, 6))])
    }

    @Test func aRunThatStruckNothingIsVoid() {
        var tally = TortureTally()
        #expect(!tally.isRecording)
        tally.kills = [.idle: 80, .starting: 20]
        tally.killsInFlight = 20
        #expect(!tally.isRecording)
        tally.killsInFlight = 34
        #expect(tally.isRecording)
    }
}
