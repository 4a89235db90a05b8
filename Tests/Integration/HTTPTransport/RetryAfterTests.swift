import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC, the time that RFC 9110 §5.6.7 writes in three forms.
    static let moment: Int64 = 784_111_777

    /// The value of the field, and the wait in seconds at 08:49:00 of that day; 5 is the wait without a field.
    static let rows: [(field: String, seconds: Int64)] = [
        ("0", 1), ("1", 1), ("37", 37), ("3600", 3600), ("3601", 3600), ("99999999999999999999999", 3600),
        ("-5", 1), (" 12 ", 12), ("+5", 5), ("1.5", 5), ("", 5), ("soon", 5), ("-", 5), ("1 2", 5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 37),
        ("Sun Nov  6 08:49:37 1994", 37),
        ("Sun, 06 Nov 1994 08:48:00 GMT", 1),
        ("Sun, 06 Nov 1904 08:49:37 GMT", 5),
        ("Sun, 06 Nov 2094 08:49:37 GMT", 3600),
        ("Mon, 07 Nov 1994 08:49:37 GMT", 3600),
        ("Sun, 06 Nov 1994 25:49:37 GMT", 5),
        ("Sun, 06 Foo 1994 08:49:37 GMT", 5),
        ("Sun, 06 Nov 1994 08:49:37 CET", 5),
        ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", 5),
    ]

    @Test(arguments: rows)
    func aWaitIsSecondsOrADate(_ row: (field: String, seconds: Int64)) async throws {
        let configuration = HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none) {
            Timestamp(milliseconds: (Self.moment - 37) * 1000)
        }
        try await ScriptedHTTPServer.run { _ in
            [.hubError(429, "tooFast", [("Retry-After", row.field)])]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)", configuration) { transport in
                let (name, _) = try await Exchange.deliver.outcome(on: transport)
                #expect(name == "rateLimited(\(row.seconds))")
            }
        }
    }

    /// The first days of months, and leap days, against the calendar of `Timestamp`.
    @Test func datesAreTheCalendars() async throws {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days: [Int64] = [0, 58, 59, 60, 789, 790, 11_015, 11_016, 11_017, 20_778, 47_540, 47_541]
        for day in days {
            let time = Timestamp(milliseconds: day * 86_400_000)
            let parts = time.description.prefix(10).split(separator: "-")
            let month = try #require(Int(parts[1]))
            let field = "Xxx, \(parts[2]) \(names[month - 1]) \(parts[0]) 00:00:20 GMT"
            try await ScriptedHTTPServer.run { _ in
                [.hubError(503, "busy", [("Retry-After", field)])]
            } body: { _, port in
                let configuration = HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none) { time }
                try await withTransport(to: "http://127.0.0.1:\(port)", configuration) { transport in
                    let (name, _) = try await Exchange.deliver.outcome(on: transport)
                    #expect(name == "rateLimited(20)", "\(field)")
                }
            }
        }
    }
}
