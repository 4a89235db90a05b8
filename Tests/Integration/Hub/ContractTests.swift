import CausewayHub
import CausewayModels
import CausewayWire
import HTTPTypes
import NIOHTTP1
import Testing

/// The OpenAPI file that the hub serves is true of the hub. `Tools/test-contract` compares responses with it.
@Suite struct ContractTests {
    private static func contract(_ hub: HubFixture) async throws -> JSONValue {
        let answer = try await HubClient(port: hub.port, token: nil).get(WireProtocol.contractPath)
        #expect(answer.status == 200)
        #expect(answer.headers.first(name: "Content-Type") == "application/json")
        return try answer.decoded(JSONValue.self)
    }

    @Test func itDescribesEveryRouteAndNoOther() async throws {
        try await HubFixture.running { hub in
            let paths = try #require(try await Self.contract(hub)["paths"]?.members)
            var described: Set<String> = []
            for (path, methods) in paths {
                for (method, operation) in methods.members ?? [:] {
                    described.insert("\(method.uppercased()) \(path)")
                    let route = HubRoute.allCases.first { $0.path == path }
                    #expect((operation["security"] == .array([])) == (route?.needsAccount == false), "\(path)")
                }
            }
            #expect(described == Set(HubRoute.allCases.map { "\($0.method.rawValue) \($0.path)" }))
        }
    }

    @Test func everyResponseToAnAccountHasTheHistory() async throws {
        try await HubFixture.running { hub in
            let contract = try await Self.contract(hub)
            for (path, methods) in try #require(contract["paths"]?.members) {
                for (method, operation) in methods.members ?? [:] where operation["security"] != .array([]) {
                    for (status, response) in operation["responses"]?.members ?? [:] {
                        var described = response
                        if let reference = response["$ref"]?.string {
                            let name = reference.split(separator: "/").last.map(String.init) ?? ""
                            described = try #require(contract["components"]?["responses"]?[name])
                        }
                        let isNamed = described["headers"]?[WireProtocol.historyHeader] != nil
                        // Those of a request whose account is not known.
                        #expect(isNamed != ["401", "431"].contains(status), "\(method) \(path) \(status)")
                    }
                }
            }
        }
    }

    @Test func itsLimitsAreTheHubs() async throws {
        try await HubFixture.running { hub in
            let schemas = try #require(try await Self.contract(hub)["components"]?["schemas"])
            func number(_ schema: String, _ path: String...) -> Int64? {
                path.reduce(schemas[schema]) { $0?[$1] }?.integer
            }
            let delivery = "Delivery"
            #expect(number(delivery, "properties", "operations", "maxItems") == Int64(HubLimits.deliveryOperationsMax))
            #expect(HubLimits.deliveryOperationsMax >= Limits.batchOperationsMax)
            #expect(number(delivery, "properties", "ancestors", "maxItems") == Int64(Limits.openingsKeptMax))
            #expect(number(delivery, "properties", "lane", "maxLength") == Int64(HubLimits.laneBytesMax))
            #expect(number(delivery, "properties", "epoch", "maximum") == Limits.sequenceMax)
            let channel = ["Ephemeral", "properties", "channels", "items", "properties"]
            func ephemeral(_ path: String...) -> Int64? {
                (channel.dropFirst() + path).reduce(schemas[channel[0]]) { $0?[$1] }?.integer
            }
            #expect(ephemeral("typing", "maxItems") == Int64(HubLimits.typingPerChannelMax))
            #expect(ephemeral("present", "maxItems") == Int64(HubLimits.presentPerChannelMax))
            #expect(
                ephemeral("typing", "items", "properties", "milliseconds", "maximum") == HubLimits.typingSeconds * 1000)
            #expect(number("Typing", "properties", "sequence", "maximum") == Limits.sequenceMax)
            #expect(number("Sequence", "maximum") == Limits.sequenceMax)
            #expect(number("Mark", "maximum") == Limits.sequenceMax)
            #expect(number("Position", "maximum") == Limits.positionMax)
            #expect(number("Operation", "properties", "reaction", "maxLength") == Int64(Limits.reactionBytesMax))
            #expect(number("Record", "properties", "id", "maxLength") == Int64(Limits.recordIDBytesMax))
            for (page, items) in [("Page", "messages"), ("Changes", "messages"), ("RecordPage", "items")] {
                #expect(number(page, "properties", items, "maxItems") == Int64(Limits.pageSizeMax), "\(page)")
            }
            for (schema, isKind): (String, (String) -> Bool) in [
                ("Operation", { WireOperation.Kind(rawValue: $0) != nil }),
                ("Result", { WireResult.Kind(rawValue: $0) != nil }),
            ] {
                let kinds = schemas[schema]?["properties"]?["kind"]?["enum"]?.elements?.compactMap(\.string) ?? []
                #expect(!kinds.isEmpty && kinds.allSatisfy(isKind), "\(schema)")
            }
        }
    }

    /// Its messages are checked against the schemas by an independent client (`Tests/System/Socket`).
    @Test func theSocketIsDescribed() async throws {
        try await HubFixture.running { hub in
            let answer = try await HubClient(port: hub.port, token: nil).get(WireSocket.contractPath)
            #expect(answer.status == 200)
            let contract = try answer.decoded(JSONValue.self)
            #expect(contract["asyncapi"] == .string("3.0.0"))
            let socket = try #require(contract["channels"]?["socket"])
            #expect(socket["address"] == .string(WireSocket.path))
            let fields = socket["bindings"]?["ws"]?["headers"]?["properties"]
            #expect(fields?["Sec-WebSocket-Protocol"]?["const"] == .string(WireSocket.subprotocol))
            let schemas = try #require(contract["components"]?["schemas"])
            #expect(schemas["ID"]?["maximum"]?.integer == WireSocket.idMax)
            let methods = schemas["Request"]?["properties"]?["method"]?["enum"]?.elements?.compactMap(\.string) ?? []
            #expect(Set(methods) == Set(HubRoute.allCases.filter(\.isOnSockets).map(\.method.rawValue)))
            // The examples are messages that the hub reads and writes.
            let messages = try #require(contract["components"]?["messages"]?.members)
            for (name, message) in messages {
                let examples = try #require(message["examples"]?.elements)
                #expect(!examples.isEmpty)
                for example in examples {
                    let text = try #require(example["payload"].flatMap { JSONWriter.text(of: $0) })
                    if name == "response" {
                        let response = try WireSocket.Response(text)
                        guard response.hasMore else { continue }
                        let part = try JSONCoding.decode(WireEvents.self, from: try #require(response.body))
                        #expect(part.ephemeral?.channels.count == 1)
                    } else {
                        #expect(throws: Never.self) { try WireSocket.ClientMessage(text) }
                    }
                }
            }
        }
    }

    /// A name may contain characters that a client escapes in a path.
    @Test func aKindIsReadAsItIsEscaped() async throws {
        try await HubFixture.running { hub in
            for path in ["/v1/records/a%40b/x", "/v1/records/a%40b?list=all"] {
                let answer = try await hub.client.get(path)
                #expect(answer.status == 404)
                #expect(answer.text.contains("of the kind a@b"))
            }
            #expect(try await hub.client.get("/v1/records/a%20b/x").errorCode == "nameInvalid")
        }
    }
}

extension JSONValue {
    fileprivate var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    fileprivate var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
