import Causeway
import CausewayControlAPI
import Testing

/// Lists that a command reads page after page.
@Suite struct ListTests {
    private static let cursor = MessageCursor(position: 7, ordinal: 3)

    /// Of a list whose second page is the stored one, a user must not believe that it is the server's.
    @Test(arguments: [true, false], [true, false])
    func aListIsTheServersIfEveryPageIs(_ first: Bool, _ second: Bool) {
        func problem(_ isRefreshed: Bool, _ text: String) -> String? { isRefreshed ? nil : text }
        var messages = MessageListResponse([], next: Self.cursor)
        (messages.refreshed, messages.refreshProblem) = (first, problem(first, "one"))
        var more = MessageListResponse([], next: nil)
        (more.refreshed, more.refreshProblem) = (second, problem(second, "two"))
        messages.append(more)
        #expect(messages.refreshed == (first && second))
        #expect(messages.refreshProblem == problem(first, "one") ?? problem(second, "two"))
        #expect(messages.next == nil)

        var records = RecordPageResponse([], next: nil, refreshed: first, refreshProblem: problem(first, "one"))
        records.append(RecordPageResponse([], next: nil, refreshed: second, refreshProblem: problem(second, "two")))
        #expect(records.refreshed == (first && second))
        #expect(records.refreshProblem == problem(first, "one") ?? problem(second, "two"))
    }

    /// The outbox is always the stored one, and says nothing about a server.
    @Test func aListWithoutAServerSaysNothingOfOne() {
        var list = MessageListResponse([], next: nil)
        list.append(MessageListResponse([], next: Self.cursor))
        #expect(list.refreshed == nil)
        #expect(list.next == PageCursor(Self.cursor))
    }
}
