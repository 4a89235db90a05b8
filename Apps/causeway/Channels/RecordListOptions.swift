import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI

/// The options for the range of a list of records.
struct RecordListOptions: ParsableArguments {
    static let discussion = """
        The list is the server's when it is reachable, and the stored one otherwise. --json prints \
        {"records":[{"kind":…,"id":…,"version":…,"value":{…}}],"next":…,"refreshed":…}; pass `next` to --after for \
        the next page.
        """

    @Option(help: ArgumentHelp("The maximum number of lines.", valueName: "number")) var limit = 20
    @Option(help: ArgumentHelp("Start after this cursor: `next` of another page.", valueName: "cursor"))
    var after: String?
    @Flag(help: "Show the stored list only.") var offline = false

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000000.") }
        if let after, ListCursor(after) == nil {
            throw ValidationError("--after takes the `next` value of another page.")
        }
    }

    /// Reads page after page until the limit is reached, and prints them.
    func report(
        _ list: RecordList, _ service: any ControlService, _ console: Console,
        words: ([RecordDTO], Terminal) -> [String]
    ) async throws(ControlError) {
        var request = RecordPageRequest(list: list, after: after.flatMap(ListCursor.init))
        request.refresh = offline ? .never : .auto
        request.limit = min(limit, Limits.pageSizeMax)
        var whole = try await service.records(request)
        while let next = whole.next.flatMap(ListCursor.init), whole.records.count < limit {
            request.after = next
            request.limit = min(limit - whole.records.count, Limits.pageSizeMax)
            let more = try await service.records(request)
            whole.append(more)
        }
        if let problem = whole.refreshProblem { console.note("the list was not refreshed: \(problem)") }
        try console.report(whole) { terminal in
            words(whole.records, terminal) + ListEnd.lines(next: whole.next, option: "--after")
        }
    }
}
