import Causeway
import CausewayControlAPI
import CausewayControlServer
import Testing

/// The claims of a request, in every combination close to the one correct row: only that one makes a change.
@Suite struct RequestTableTests {
    private struct Column {
        let name: String
        /// The correct value first.
        let values: [String?]
    }

    /// A row: the index of the value for each column; 0 is correct.
    private typealias Row = [Int]

    private static func columns(_ page: PageClient, secret: String) -> [Column] {
        [
            Column(name: "method", values: ["POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS"]),
            Column(
                name: "Origin",
                values: [
                    page.address, nil, "null", "http://evil.example", "http://127.0.0.1:1",
                    page.address.replacing("http:", with: "https:"), page.address + "/",
                    page.address.replacing("127.0.0.1", with: "localhost"), "http://rebind.test:\(page.port)",
                ]),
            Column(name: "Sec-Fetch-Site", values: ["same-origin", nil, "same-site", "cross-site", "none", ""]),
            Column(
                name: "Host",
                values: [
                    page.host, nil, "rebind.test:\(page.port)", "127.0.0.1", "127.0.0.1:1", "evil.example",
                    page.host + ".evil.example", "127.0.0.1.:\(page.port)",
                ]),
            Column(
                name: "token",
                values: [
                    secret, nil, "", String(repeating: "0", count: secret.count), String(secret.dropLast()),
                    secret + "0", secret.uppercased(),
                ]),
            Column(
                name: "Content-Type",
                values: [
                    "application/x-www-form-urlencoded", nil, "text/plain", "multipart/form-data; boundary=x",
                    "application/json", "application/x-www-form-urlencoded; charset=utf-16",
                ]),
        ]
    }

    /// Returns every row that is wrong in one column, or in two.
    private static func wrongRows(_ columns: [Column]) -> [Row] {
        var rows: [Row] = []
        let right = Row(repeating: 0, count: columns.count)
        for first in columns.indices {
            for value in columns[first].values.indices.dropFirst() {
                var row = right
                row[first] = value
                rows.append(row)
                for second in columns.indices where second > first {
                    for other in columns[second].values.indices.dropFirst() {
                        row[second] = other
                        rows.append(row)
                    }
                    row[second] = 0
                }
            }
        }
        return rows
    }

    private func send(_ row: Row, _ columns: [Column], _ page: PageClient, _ id: MessageID) async throws -> Int {
        let values = zip(columns, row).map { column, place in column.values[place] }
        var fields: [(String, String)] = []
        if let origin = values[1] { fields.append(("Origin", origin)) }
        if let site = values[2] { fields.append(("Sec-Fetch-Site", site)) }
        if let type = values[5] { fields.append(("Content-Type", type)) }
        var form = "do=delete&id=\(id)"
        if let token = values[4] { form += "&csrf=\(token)" }
        return try await page.send(values[0] ?? "POST", "/actions", host: values[3], fields, form).status
    }

    @Test func onlyTheRightRowChangesAnything() async throws {
        try await PageWorld.run { world in
            let id = try #require(try await world.fail(["a"]).first)
            let columns = Self.columns(world.page, secret: try await world.csrfToken())
            let rows = Self.wrongRows(columns)
            #expect(rows.count >= 200)
            // Concurrently, as each needs a connection of its own.
            let answers = try await withThrowingTaskGroup(of: (Row, Int).self) { group in
                var answers: [(Row, Int)] = []
                for (index, row) in rows.enumerated() {
                    if index >= 16, let answer = try await group.next() { answers.append(answer) }
                    group.addTask { (row, try await send(row, columns, world.page, id)) }
                }
                for try await answer in group { answers.append(answer) }
                return answers
            }
            for (row, status) in answers {
                let said = zip(columns, row).map { "\($0.name)=\($0.values[$1] ?? "none")" }.joined(separator: " ")
                #expect((400..<500).contains(status), "\(status): \(said)")
                // The first wrong value determines the status.
                if row[3] != 0 {
                    #expect(status == 421 || status == 400, "\(said)")
                } else if row[0] != 0 {
                    #expect(status == 405, "\(said)")
                } else if row[1] != 0 || row[2] != 0 || row[4] != 0 && row[5] == 0 {
                    #expect(status == 403, "\(said)")
                } else if row[5] != 0 {
                    #expect(status == 415, "\(said)")
                }
            }
            #expect(try await world.state(id) == "error")
            #expect(try await world.service.deleteActions(limit: 10, before: nil).actions.isEmpty)

            #expect(try await send(Row(repeating: 0, count: columns.count), columns, world.page, id) == 303)
            let actions = try await world.service.deleteActions(limit: 10, before: nil).actions
            #expect(actions.map(\.message) == [id])
            #expect(actions.first?.by == "statusPage")
        }
    }

    /// A read from a page of another site: refused when it is embedded.
    @Test(arguments: [
        ("cross-site", "no-cors", "image", 403), ("cross-site", "no-cors", "script", 403),
        ("cross-site", "cors", "empty", 403), ("same-site", "no-cors", "empty", 403),
        ("cross-site", "navigate", "iframe", 403), ("same-origin", "navigate", "iframe", 403),
        ("none", "navigate", "frame", 403), ("cross-site", "navigate", "object", 403),
        ("cross-site", "navigate", "document", 200), ("none", "navigate", "document", 200),
        ("same-origin", "cors", "empty", 200), ("same-origin", "navigate", "document", 200),
    ])
    func readingIsForPeopleAndTheirOwnPage(site: String, mode: String, destination: String, status: Int) async throws {
        try await PageWorld.run { world in
            for path in ["/", "/failed", "/api/outbox", "/confirm?do=delete-all"] {
                let answer = try await world.page.get(
                    path, [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)])
                #expect(answer.status == status, "\(path)")
            }
        }
    }
}
