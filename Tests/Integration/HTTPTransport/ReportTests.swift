import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import Testing

/// Validation of reports.
@Suite struct ReportTests {
    /// Sequences 1 to 3: a message, a fence, a deletion.
    private func delivery() throws -> Delivery {
        var delivery = try Sample.delivery(1...3)
        delivery.operations[1].body = .fence(Sample.message(2))
        delivery.operations[2].body = .delete(Sample.message(3))
        return delivery
    }

    private static func results(_ kinds: [String]) -> String {
        "[" + kinds.map { "{\($0)}" }.joined(separator: ",") + "]"
    }

    private static let accepted = #""kind":"accepted","position":4,"acceptedAt":5"#
    private static let fenced = #""kind":"fenced""#
    private static let deleted = #""kind":"deleted""#
    private static let refused =
        #""kind":"refused","code":"a","detail":"b"#
        + " \(Sample.tokenText)\""
    private static let later = #""kind":"tryLater","code":"a","detail":"b","retryAfterMilliseconds":2000"#
    private static let laterForEver =
        #""kind":"tryLater","code":"a","detail":"b","retryAfterMilliseconds":9000000000000000"#
    private static let skipped = #""kind":"notAttempted""#
    private static let gap = #""kind":"gap","mark":1"#
    private static let late = #""kind":"late","mark":9"#
    private static let serverPosition = ServerPosition(position: 4, acceptedAt: Timestamp(milliseconds: 5))

    static let fitting: [(mark: Int, results: [String], outcomes: [DeliveryOutcome])] = [
        (3, [accepted, fenced, deleted], [.accepted(serverPosition), .fenced, .deleted]),
        (3, [accepted, accepted, deleted], [.accepted(serverPosition), .accepted(serverPosition), .deleted]),
        (
            3, [refused, fenced, refused],
            [
                .refused(code: "a", detail: "b ••••"), .fenced, .refused(code: "a", detail: "b ••••"),
            ]
        ),
        (9, [late, fenced, deleted], [.late(mark: 9), .fenced, .deleted]),
        (
            1, [accepted, later, skipped],
            [.accepted(serverPosition), .tryLater(code: "a", detail: "b", after: .seconds(2)), .notAttempted]
        ),
        (
            0, [laterForEver, skipped, skipped],
            [.tryLater(code: "a", detail: "b", after: .seconds(3600)), .notAttempted, .notAttempted]
        ),
        (1, [gap, skipped, skipped], [.gap(mark: 1), .notAttempted, .notAttempted]),
        (2, [accepted, fenced, gap], [.accepted(serverPosition), .fenced, .gap(mark: 1)]),
    ]

    @Test(arguments: fitting)
    func aReportThatFitsIsBelieved(_ row: (mark: Int, results: [String], outcomes: [DeliveryOutcome])) async throws {
        try await ScriptedHTTPServer.run { _ in
            [.hub(200, #"{"mark":\#(row.mark),"results":\#(Self.results(row.results))}"#)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let report = try await transport.deliver(try delivery())
                #expect(report == DeliveryReport(mark: Int64(row.mark), outcomes: row.outcomes))
            }
        }
    }

    /// A message or a fence; a deletion, an edit or a refusal says nothing about a message that is shown.
    @Test func anAcceptedMessageMayHaveBeenDeletedSince() async throws {
        let gone = Self.accepted + #","isDeleted":true"#
        let refused = Self.refused + #","isDeleted":true"#
        for (results, deleted) in [([gone, gone, Self.deleted], [1, 2]), ([refused, gone, Self.deleted], [2])] {
            try await ScriptedHTTPServer.run { _ in
                [.hub(200, #"{"mark":3,"results":\#(Self.results(results))}"#)]
            } body: { _, port in
                try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                    let report = try await transport.deliver(try delivery())
                    #expect(report.deletedSince == Set(deleted.map { Sample.message($0) }))
                }
            }
        }
    }

    static let unfit: [(why: String, mark: Int, results: [String])] = [
        ("none", 3, []),
        ("too few", 3, [accepted, fenced]),
        ("too many", 3, [accepted, fenced, deleted, accepted]),
        ("a message is fenced", 3, [fenced, fenced, deleted]),
        ("a message is deleted", 3, [deleted, fenced, deleted]),
        ("a fence is deleted", 3, [accepted, deleted, deleted]),
        ("a fence is late", 9, [accepted, late, deleted]),
        ("a deletion is accepted", 3, [accepted, fenced, accepted]),
        ("a deletion is fenced", 3, [accepted, fenced, fenced]),
        ("not attempted for no reason", 3, [accepted, skipped, deleted]),
        ("attempted behind a gap", 3, [gap, fenced, deleted]),
        ("attempted behind a stop", 3, [accepted, later, deleted]),
        ("two stops", 3, [accepted, later, gap]),
        ("the mark is behind", 2, [accepted, fenced, deleted]),
        ("the mark is below zero", -1, [gap, skipped, skipped]),
        ("no place", 3, [#""kind":"accepted","acceptedAt":5"#, fenced, deleted]),
        ("no time", 3, [#""kind":"accepted","position":5"#, fenced, deleted]),
        ("place 0", 3, [#""kind":"accepted","position":0,"acceptedAt":5"#, fenced, deleted]),
        (
            "a place beyond all", 3,
            [#""kind":"accepted","position":9223372036854775807,"acceptedAt":5"#, fenced, deleted]
        ),
        ("late beyond all", 9, [#""kind":"late","mark":4611686018427387905"#, fenced, deleted]),
        ("a gap below zero", 1, [#""kind":"gap","mark":-1"#, skipped, skipped]),
        ("the mark is beyond all", 4_611_686_018_427_387_904, [accepted, fenced, deleted]),
        ("a gap without a mark", 3, [#""kind":"gap""#, skipped, skipped]),
        ("an unknown kind", 3, [#""kind":"maybe""#, fenced, deleted]),
    ]

    @Test(arguments: unfit)
    func aReportThatDoesNotFitProvesNothing(_ row: (why: String, mark: Int, results: [String])) async throws {
        try await ScriptedHTTPServer.run { _ in
            [.hub(200, #"{"mark":\#(row.mark),"results":\#(Self.results(row.results))}"#)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let error = await #expect(throws: TransportError.self) {
                    try await transport.deliver(try delivery())
                }
                #expect(error?.name == "inDoubt")
            }
        }
    }

    @Test func anotherMessageThanTheOneAskedForIsNoProof() async throws {
        let other = Sample.message(2)
        try await ScriptedHTTPServer.run { _ in
            [
                .hub(
                    200,
                    #"{"id":"\#(other)","channel":"general","sender":"ada","content":{"v":1,"type":"text","text":"a"},"#
                        + #""createdAt":1,"position":1,"acceptedAt":2}"#)
            ]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let serverPosition = try await transport.lookup(other)
                #expect(serverPosition == ServerPosition(position: 1, acceptedAt: Timestamp(milliseconds: 2)))
                let name = try await Exchange.lookup.outcome(on: transport).name
                #expect(name == "inDoubt")
            }
        }
    }
}
