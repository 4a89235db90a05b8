import CausewayHTTPTransport
import Testing

/// The decisions of a socket's client, step by step.
@Suite struct SocketScheduleTests {
    private typealias Schedule = SocketSchedule

    private static func open(window: Int = 2) -> SocketSchedule {
        var schedule = SocketSchedule(waitingMax: 4)
        _ = schedule.submit(0, isRepeatable: false, isLasting: false)
        _ = schedule.opened(window: window)
        _ = schedule.finished(0)
        return schedule
    }

    @Test func theFirstRequestOpensTheSocket() {
        var schedule = SocketSchedule(waitingMax: 4)
        #expect(schedule.submit(1, isRepeatable: true, isLasting: false) == [.open])
        #expect(schedule.submit(2, isRepeatable: true, isLasting: false) == [])
        #expect(schedule.opened(window: 8) == [.send(1), .send(2)])
        #expect(schedule.submit(3, isRepeatable: true, isLasting: false) == [.send(3)])
    }

    @Test func theWindowHoldsBackAllButLastingRequests() {
        var schedule = Self.open(window: 2)
        for id in 1...2 as ClosedRange<Int64> {
            #expect(schedule.submit(id, isRepeatable: false, isLasting: false) == [.send(id)])
        }
        #expect(schedule.submit(3, isRepeatable: false, isLasting: false) == [])
        #expect(schedule.submit(4, isRepeatable: true, isLasting: true) == [.send(4)])
        #expect(schedule.finished(4) == [])
        #expect(schedule.finished(1) == [.send(3)])
    }

    @Test func aFullQueueRefuses() {
        var schedule = SocketSchedule(waitingMax: 2)
        _ = schedule.submit(1, isRepeatable: true, isLasting: false)
        _ = schedule.submit(2, isRepeatable: true, isLasting: false)
        #expect(schedule.submit(3, isRepeatable: true, isLasting: false) == [.fail(3, .tooManyWaiting)])
        #expect(schedule.openingFailed() == [1, 2])
        #expect(schedule.submit(4, isRepeatable: true, isLasting: false) == [.open])
    }

    /// A delivery that was sent is never sent again by the transport.
    @Test func aCutRepeatsReadsOnce() {
        var schedule = Self.open()
        _ = schedule.submit(1, isRepeatable: false, isLasting: false)
        _ = schedule.submit(2, isRepeatable: true, isLasting: false)
        _ = schedule.submit(3, isRepeatable: false, isLasting: false)
        #expect(schedule.cut() == [.fail(1, .cut), .open])
        #expect(schedule.opened(window: 2) == [.send(2), .send(3)])
        // The connection has served, but the second one was repeated before.
        #expect(schedule.finished(3) == [])
        #expect(schedule.cut() == [.fail(2, .cut)])
    }

    /// A delivery that was sent is in doubt; everything else may travel in another way.
    @Test func aSocketThatIsGivenUpKeepsNothing() {
        var schedule = Self.open()
        for (id, isRepeatable) in [(1, false), (2, true), (3, false)] as [(Int64, Bool)] {
            _ = schedule.submit(id, isRepeatable: isRepeatable, isLasting: false)
        }
        #expect(schedule.cut(reopens: false) == [.fail(1, .cut), .fail(2, .givenUp), .fail(3, .givenUp)])
        #expect(schedule.underWay.isEmpty && !schedule.isIdle)
        #expect(schedule.submit(4, isRepeatable: true, isLasting: false) == [.open])
    }

    @Test func aConnectionThatServedNothingIsNotTrustedWithARepeat() {
        var schedule = SocketSchedule(waitingMax: 4)
        _ = schedule.submit(1, isRepeatable: true, isLasting: false)
        _ = schedule.opened(window: 2)
        #expect(schedule.cut() == [.fail(1, .cut)])
    }

    @Test func aWithdrawnRequestFreesItsPlace() {
        var schedule = Self.open(window: 1)
        _ = schedule.submit(1, isRepeatable: false, isLasting: false)
        _ = schedule.submit(2, isRepeatable: false, isLasting: false)
        _ = schedule.submit(3, isRepeatable: false, isLasting: false)
        let (waiting, none) = schedule.withdraw(2)
        #expect(waiting == .waiting && none == [])
        let (sent, next) = schedule.withdraw(1)
        #expect(sent == .sent && next == [.send(3)])
        #expect(schedule.withdraw(1).0 == .unknown)
        #expect(schedule.underWay == [3])
    }

    /// After a change of the network the kept connection may be dead. A request that waits for events continues on the
    /// next one; a delivery or a read under way is left alone.
    @Test func aDiscardedSocketKeepsItsWaitingReaders() {
        var schedule = Self.open()
        _ = schedule.submit(1, isRepeatable: true, isLasting: true)
        #expect(schedule.discardIdle() == [.close, .open])
        #expect(schedule.opened(window: 2) == [.send(1)])
        for (id, isRepeatable) in [(2, false), (3, true)] as [(Int64, Bool)] {
            _ = schedule.submit(id, isRepeatable: isRepeatable, isLasting: false)
            #expect(schedule.discardIdle() == [])
            _ = schedule.finished(id)
        }
        #expect(schedule.discardIdle() == [.close, .open])
    }

    /// An opening from an address of the old network would go on until its time-out.
    @Test func aChangedNetworkBeginsAnOpeningAnew() {
        var schedule = Schedule(waitingMax: 4)
        _ = schedule.submit(1, isRepeatable: false, isLasting: false)
        for _ in 0..<Schedule.restartsMax {
            #expect(schedule.networkChanged() == [.close, .open])
        }
        #expect(schedule.networkChanged() == [])
        #expect(schedule.opened(window: 2) == [.send(1)])
        #expect(schedule.networkChanged() == [], "it carries a delivery")
        #expect(schedule.cut() == [.fail(1, .cut)])
        // The next opening is another one, for which nothing waits in the end.
        _ = schedule.submit(2, isRepeatable: false, isLasting: false)
        #expect(schedule.networkChanged() == [.close, .open])
        _ = schedule.withdraw(2)
        #expect(schedule.networkChanged() == [.close])
        #expect(schedule.submit(3, isRepeatable: false, isLasting: false) == [.open])
    }

    /// A reader that waits for events keeps its socket.
    @Test func aSocketThatLastsIsNotIdle() {
        var schedule = Self.open()
        _ = schedule.submit(1, isRepeatable: true, isLasting: true)
        #expect(schedule.closeIdle() == [])
        _ = schedule.finished(1)
        #expect(schedule.closeIdle() == [.close])
        #expect(schedule.closeIdle() == [])
    }

    @Test func aShutDownEndsEverything() {
        var schedule = Self.open(window: 1)
        _ = schedule.submit(1, isRepeatable: false, isLasting: false)
        _ = schedule.submit(2, isRepeatable: false, isLasting: false)
        #expect(schedule.shutDown() == [.fail(1, .shutDown(sent: true)), .fail(2, .shutDown(sent: false)), .close])
        #expect(schedule.submit(3, isRepeatable: true, isLasting: false) == [.fail(3, .shutDown(sent: false))])
        #expect(schedule.shutDown() == [])
    }

    @Test func everyRequestEndsOnce() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var schedule = SocketSchedule(waitingMax: 3)
            var submitted: Set<Int64> = []
            var ended: Set<Int64> = []
            func note(_ actions: [Schedule.Action]) {
                for case .fail(let id, _) in actions { #expect(ended.insert(id).inserted) }
            }
            for id in 1...40 as ClosedRange<Int64> {
                switch Int.random(in: 0..<9, using: &generator) {
                case 0...2:
                    submitted.insert(id)
                    note(schedule.submit(id, isRepeatable: .random(using: &generator), isLasting: id % 5 == 0))
                case 3: note(schedule.opened(window: 2))
                case 4: note(schedule.cut(reopens: .random(using: &generator)))
                case 5: for id in schedule.openingFailed() { #expect(ended.insert(id).inserted) }
                case 6:
                    if let id = schedule.underWay.randomElement(using: &generator) {
                        note(schedule.finished(id))
                        #expect(ended.insert(id).inserted)
                    }
                case 7: note(schedule.networkChanged())
                default:
                    if let id = submitted.randomElement(using: &generator), schedule.withdraw(id).0 != .unknown {
                        #expect(ended.insert(id).inserted)
                    }
                }
            }
            note(schedule.shutDown())
            #expect(ended == submitted)
        }
    }
}
