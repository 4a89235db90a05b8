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
        var list = try await page(PageRange(limit: limit, after: start))
        while let next = list.next, list.messages.count < limit {
            let more = try await page(PageRange(limit: limit - list.messages.count, after: next))
            list.append(more)
        }
        return list
    }
}

extension PageCursor: ExpressibleByArgument {}

/// The end of a list that has more.
enum ListEnd {
    static func lines(_ response: MessageListResponse) -> [String] {
        lines(next: response.next, option: "--after")
    }

    /// - Parameter option: the option that takes the cursor of the next page.
    static func lines(next: (some CustomStringConvertible)?, option: String) -> [String] {
        next.map { ["… and more: \(option) \($0), or a larger --limit"] } ?? []
    }
}

enum Counted {
    static func messages(_ count: Int) -> String { count == 1 ? "1 message" : "\(count) messages" }
}
