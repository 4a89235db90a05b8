import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Lines of a pipe, as they arrive.
@Suite struct LineInputTests {
    private func lines(_ text: [String], max: Int = 100) async throws -> [LineInput.Line] {
        let pipe = Pipe()
        let writer = Thread.detached {
            for part in text { pipe.fileHandleForWriting.write(Data(part.utf8)) }
            try? pipe.fileHandleForWriting.close()
        }
        let input = LineInput(descriptor: pipe.fileHandleForReading.fileDescriptor, lineBytesMax: max)
        var lines: [LineInput.Line] = []
        while let some = try await input.next() { lines += some }
        await writer.ended()
        return lines
    }

    @Test func linesAreNumberedAndTheLastNeedsNoEnd() async throws {
        let lines = try await lines(["one\r\ntw", "o\n", "\nfour"])
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two", "", "four"])
        #expect(lines.map(\.number) == [1, 2, 3, 4])
        #expect(try await self.lines([]).isEmpty)
    }

    @Test func aLineWithoutAnEndIsRefused() async throws {
        await #expect(throws: ControlError.self) {
            _ = try await lines([String(repeating: "x", count: 1000)], max: 100)
        }
    }

    @Test func aLineIsSentWhenItIsThere() async throws {
        let general = try #require(ChannelID("general"))
        try await ControlWorld.run { world in
            let pipe = Pipe()
            let writer = pipe.fileHandleForWriting
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            let sending = Task {
                let composer = MessageComposer(channel: general, isCustom: false)
                let sender = BulkSender(service: world.client, composer: composer) { _ in }
                return await sender.send(LineInput(descriptor: descriptor, lineBytesMax: 1000))
            }
            writer.write(Data("first\n".utf8))
            try await Eventually.holds("the first one is there") { world.remote.texts == ["first"] }
            writer.write(Data("\n\u{FFFD}second\n".utf8) + Data([0xFF, 0x0A]) + Data("third".utf8))
            try writer.close()
            let outcome = await sending.value
            #expect(outcome.ids.count == 3)
            #expect(outcome.blankCount == 1)
            #expect(outcome.refused == ["line 4: the text is not valid UTF-8"])
            #expect(outcome.problem == nil)
            withExtendedLifetime(pipe) {}
        }
    }
}
