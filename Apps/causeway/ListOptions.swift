import ArgumentParser
import CausewayControlAPI

/// The options for the range of a list.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum number of messages.", valueName: "number")) var limit = 20

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000000.") }
    }

    /// Reads page after page until the limit is reached.
    func list(
        from start: PageCursor?,
        page: (PageRange) async throws(ControlError) -> MessageListResponse
    ) async throws(ControlError) -> MessageListResponse {
        var messages: [MessageDTO] = []
        var first: MessageListResponse?
        var place = start
        repeat {
            let response = try await page(PageRange(limit: limit - messages.count, after: place))
            messages += response.messages
            first = first ?? response
            place = response.next
        } while place != nil && messages.count < limit
        var whole = MessageListResponse(messages, next: place?.cursor)
        whole.refreshed = first?.refreshed
        whole.refreshProblem = first?.refreshProblem
        return whole
    }
}

extension PageCursor: ExpressibleByArgument {}

/// The end of a list that has more.
enum ListEnd {
    static func lines(_ response: MessageListResponse) -> [String] {
        response.next.map { ["… and more: --after \($0), or a larger --limit"] } ?? []
    }
}

enum Counted {
    static func messages(_ count: Int) -> String { count == 1 ? "1 message" : "\(count) messages" }
}
