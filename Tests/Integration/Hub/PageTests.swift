import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayRecords
import CausewayWire
import GRDB
import NIOHTTP1
import Testing

@Suite struct PageTests {
    /// Stored content is JSON already; a page costs its bytes, whatever their content.
    @Test func storedContentGoesOutAsItWasStored() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)]))
            let stored = #"{ "v" : 9,"type":"later","parts":[1.50,"\u00e9"] }"#
            let database = try hub.folder.openDatabase()
            try await database.write { db in
                try db.execute(sql: "UPDATE message SET content = ? WHERE position = 1", arguments: [stored])
            }
            try database.close()
            let page = try await hub.client.get(WireProtocol.messagesPath("general"))
            #expect(page.text.contains(stored))
            #expect(try page.decoded(WirePage.self).messages.map(\.position) == [1, 2])
            let one = try await hub.client.get(WireProtocol.messagePath(id(1).description))
            #expect(one.text.contains(stored))
            #expect(try one.decoded(WireMessage.self).content.type == .unknown("later"))
        }
    }

    /// The positions of a page, and whether there is more.
    private func page(_ hub: HubFixture, _ query: String) async throws -> ([Int64], Bool) {
        let answer = try await hub.client.get(WireProtocol.messagesPath("general") + query)
        guard answer.status == 200 else { throw HubClient.Unexpected(status: answer.status, text: answer.text) }
        let page = try answer.decoded(WirePage.self)
        return (page.messages.map(\.position), page.hasMore)
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func pagesFromBothEnds(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery((1...50).map { send($0) }))
            let cases: [(query: String, positions: [Int64], hasMore: Bool)] = [
                ("", Array(31...50), true),
                ("?limit=3", [48, 49, 50], true),
                ("?limit=50", Array(1...50), false),
                ("?limit=1000", Array(1...50), false),
                ("?limit=999999", Array(1...50), false),
                ("?limit=2&before=48", [46, 47], true),
                ("?limit=2&before=3", [1, 2], false),
                ("?limit=2&before=2", [1], false),
                ("?limit=2&before=1", [], false),
                ("?limit=2&before=0", [], false),
                ("?limit=2&before=9223372036854775807", [49, 50], true),
                ("?limit=2&after=0", [1, 2], true),
                ("?limit=2&after=47", [48, 49], true),
                ("?limit=2&after=48", [49, 50], false),
                ("?limit=2&after=50", [], false),
                ("?limit=2&after=9223372036854775807", [], false),
            ]
            for (query, positions, hasMore) in cases {
                let (found, more) = try await page(hub, query)
                #expect(found == positions, "\(query)")
                #expect(more == hasMore, "\(query)")
            }
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPageOfATypeOrAThread(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let poll = MessageContent.custom(["poll": 1])
            _ = try await hub.client.report(
                delivery(
                    [
                        send(1), send(2, content: poll), send(3, parent: 1), send(4, content: poll, parent: 1),
                        send(5, parent: 2), send(6), send(7, content: poll), send(8),
                    ] + [delete(9, 7)]))
            let cases: [(query: String, positions: [Int64], range: Range<Int64>, hasMore: Bool)] = [
                ("type=custom", [2, 4], 1..<9, false), ("type=text", [1, 3, 5, 6, 8], 1..<9, false),
                ("type=video", [], 1..<9, false), ("parent=none", [1, 2, 6, 8], 1..<9, false),
                ("parent=\(id(1))", [3, 4], 1..<9, false), ("parent=\(id(1))&type=custom", [4], 1..<9, false),
                ("parent=none&type=custom", [2], 1..<9, false), ("parent=\(id(99))", [], 1..<9, false),
                ("type=custom&limit=1", [4], 4..<9, true), ("type=custom&limit=1&before=4", [2], 1..<4, false),
                ("type=text&limit=2&after=1", [3, 5], 2..<6, true),
                ("parent=\(id(1))&after=3", [4], 4..<9, false),
            ]
            for (query, positions, range, hasMore) in cases {
                let path = WireProtocol.messagesPath("general") + "?" + query
                let page = try await hub.client.get(path).decoded(WirePage.self)
                #expect(page.messages.map(\.position) == positions, "\(query)")
                #expect(page.range == range && page.hasMore == hasMore, "\(query)")
            }
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPageOfTags(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let report = try await hub.client.report(
                delivery(
                    [
                        send(1), send(2, tags: ["a"]), send(3, tags: ["b", "a b&c"]), send(4, tags: ["a", "b", "a"]),
                        send(5, parent: 2, tags: ["b"]), send(6, tags: ["a"]), send(7, tags: [""]),
                        send(8, tags: (1...Limits.tagsMax + 1).map { "\($0)" }),
                    ] + [change(.edit, 9, 101, on: 4), delete(10, 6)]))
            #expect(
                report.results.map(\.kind)
                    == (1...10).map { [7, 8].contains($0) ? .refused : $0 < 10 ? .accepted : .deleted })
            let cases: [(query: String, positions: [Int64], range: Range<Int64>, hasMore: Bool)] = [
                ("includingTag=a", [2, 4], 1..<7, false),
                ("includingTag=a&includingTag=b", [2, 3, 4, 5], 1..<7, false),
                ("excludingTag=a", [1, 3, 5], 1..<7, false), ("excludingTag=a&excludingTag=b", [1], 1..<7, false),
                ("includingTag=b&excludingTag=a", [3, 5], 1..<7, false), ("includingTag=a%20b%26c", [3], 1..<7, false),
                ("includingTag=b&parent=\(id(2))", [5], 1..<7, false), ("includingTag=A", [], 1..<7, false),
                ("includingTag=b&limit=1", [5], 5..<7, true), ("includingTag=b&limit=1&after=3", [4], 4..<5, true),
            ]
            for (query, positions, range, hasMore) in cases {
                let path = WireProtocol.messagesPath("general") + "?" + query
                let page = try await hub.client.get(path).decoded(WirePage.self)
                #expect(page.messages.map(\.position) == positions, "\(query)")
                #expect(page.range == range && page.hasMore == hasMore, "\(query)")
            }
            let page = try await hub.client.get(WireProtocol.messagesPath("general")).decoded(WirePage.self)
            #expect(page.messages.map(\.tags) == [nil, ["a"], ["b", "a b&c"], ["a", "b"], ["b"]])
            let many = (0...Limits.tagsMax).map { "includingTag=\($0)" }.joined(separator: "&")
            for query in ["includingTag=", "excludingTag=%0A", many] {
                let answer = try await hub.client.get(WireProtocol.messagesPath("general") + "?" + query)
                #expect(answer.status == 400, "\(query)")
            }
        }
    }

    /// A search without an index goes in steps, whose pages can be empty.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPageEndsWhereTheSearchEnded(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let count = Int64(HubStorageLimits.messagesExaminedMax + 10)
            for start in stride(from: Int64(1), through: count, by: Limits.batchOperationsMax) {
                let end = min(start + Int64(Limits.batchOperationsMax) - 1, count)
                _ = try await hub.client.report(delivery((start...end).map { send($0, parent: $0 == 1 ? nil : 1) }))
            }
            let path = WireProtocol.messagesPath("general") + "?parent=none&type=text"
            let newest = try await hub.client.get(path).decoded(WirePage.self)
            #expect(newest.messages.isEmpty && newest.hasMore && newest.range == 11..<count + 1)
            let rest = try await hub.client.get(path + "&before=11").decoded(WirePage.self)
            #expect(rest.messages.map(\.position) == [1] && !rest.hasMore && rest.range == 1..<11)
            let upwards = try await hub.client.get(path + "&after=1").decoded(WirePage.self)
            #expect(upwards.messages.isEmpty && upwards.hasMore && upwards.range == 2..<count - 8)
        }
    }

    /// Also when messages at its ends were deleted.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPageReportsTheRangeThatItCovers(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(
                delivery(
                    (1...10).map { send($0) }
                        + [1, 4, 5, 9, 10].enumerated().map { delete(Int64($0.offset + 11), UInt64($0.element)) }))
            let cases: [(query: String, positions: [Int64], range: Range<Int64>)] = [
                ("", [2, 3, 6, 7, 8], 1..<11),
                ("?limit=2", [7, 8], 7..<11),
                ("?limit=2&before=7", [3, 6], 3..<7),
                ("?limit=2&before=5", [2, 3], 1..<5),
                ("?limit=2&before=2", [], 1..<2),
                ("?limit=2&before=0", [], 1..<1),
                ("?limit=2&before=9223372036854775807", [7, 8], 7..<11),
                ("?limit=2&after=0", [2, 3], 1..<4),
                ("?limit=3&after=3", [6, 7, 8], 4..<11),
                ("?limit=2&after=8", [], 9..<11),
                ("?limit=2&after=10", [], 11..<11),
                ("?limit=2&after=50", [], 51..<51),
                ("?limit=2&after=9223372036854775807", [], .max ..< .max),
            ]
            for (query, positions, range) in cases {
                let page = try await hub.client.get(WireProtocol.messagesPath("general") + query).decoded(WirePage.self)
                #expect(page.messages.map(\.position) == positions, "\(query)")
                #expect(page.range == range, "\(query)")
            }
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func deletedMessagesAreNoHolesInAPage(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(
                delivery((1...10).map { send($0) } + (3...8).map { delete(Int64($0 + 8), UInt64($0)) }))
            #expect(try await page(hub, "?limit=3&after=1") == ([2, 9, 10], false))
            #expect(try await page(hub, "?limit=3&before=10") == ([1, 2, 9], false))
            #expect(try await page(hub, "?limit=2") == ([9, 10], true))
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func anEmptyChannelHasAnEmptyPage(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub async throws in #expect(try await page(hub, "") == ([], false)) }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aPageOfLargeMessagesStopsShortAndSaysSo(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let text = String(repeating: "x", count: Limits.textBytesMax)
            for start in stride(from: Int64(1), through: 100, by: 20) {
                _ = try await hub.client.report(
                    delivery((start..<start + 20).map { send($0, content: .text(text)) }))
            }
            let (positions, hasMore) = try await page(hub, "?limit=1000&after=0")
            #expect(hasMore)
            #expect(positions.count < 100)
            #expect(positions == Array(1...Int64(positions.count)))
            #expect(try await hub.client.messages().map(\.position) == Array(1...100))
        }
    }

    @Test(arguments: [
        "?limit=0", "?limit=-1", "?limit=x", "?limit=", "?after=-1", "?before=x", "?after=1&before=2",
        "?limit=1&limit=2",
        "?after=9223372036854775808",
        "?type=", "?type=a&type=b", "?type=%C3%A9", "?type=" + String(repeating: "x", count: 129),
        "?parent=", "?parent=x", "?parent=none&parent=none", "?deleted=2", "?deleted=", "?deleted=true",
    ])
    func aWrongQueryIsRefused(query: String) async throws {
        try await HubFixture.running { hub in
            let answer = try await hub.client.get(WireProtocol.messagesPath("general") + query)
            #expect(answer.status == 400)
            #expect(answer.errorCode == "queryInvalid")
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func channelsAndSingleMessages(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)]))
            let made = try await hub.client.send(.PUT, WireProtocol.channelPath("a%40b"))
            #expect(made.status == 201)
            #expect(try await hub.client.send(.PUT, WireProtocol.channelPath("a@b")).status == 200)
            let channels = try await hub.hub.administration.channels()
            #expect(channels.map(\.id.value) == ["a@b", "general"])
            #expect(channels.map(\.lastPosition) == [0, 2])

            let one = try await hub.client.get(WireProtocol.messagePath(id(2).description)).decoded(WireMessage.self)
            #expect(one.id == id(2))
            #expect(one.position == 2)
            let none = try await hub.client.get(WireProtocol.messagePath(id(3).description))
            #expect(none.errorCode == "messageNotFound")
            let session = try await hub.client.get(WireProtocol.sessionPath).decoded(WireSession.self)
            #expect(session.user.value == "me")
            #expect(try await hub.client.get(WireProtocol.messagesPath("nope")).errorCode == "channelNotFound")
        }
    }
}
