import CausewayHub
import Testing

/// The turns of those who read a socket.
@Suite struct SocketReadingTests {
    @Test func oneReadsAtATime() {
        var reading = SocketReading()
        #expect(!reading.isReading)
        let begins = [reading.changed(), reading.changed()]
        #expect(begins == [true, false])
        let first = reading.lookAgain()
        #expect(first && reading.isReading)
        let second = reading.lookAgain()
        #expect(!second && !reading.isReading)
        let beginsAgain = reading.changed()
        #expect(beginsAgain)
    }

    /// A message may arrive after the reader has found no other one, and before it has ended.
    @Test func aChangeWhileSomeoneReadsIsLookedAt() {
        var reading = SocketReading()
        let steps = [
            reading.changed(), reading.lookAgain(), reading.changed(), reading.lookAgain(), reading.lookAgain(),
        ]
        #expect(steps == [true, true, false, true, false])
    }

    @Test func aReaderThatIsPassedOnLooksAtTheRest() {
        var reading = SocketReading()
        var steps = [reading.changed(), reading.lookAgain()]
        reading.passOn()
        #expect(reading.isReading)
        steps += [reading.changed(), reading.lookAgain(), reading.lookAgain()]
        #expect(steps == [true, true, false, true, false])
    }
}
