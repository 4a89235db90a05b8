import CausewayModels
import CausewayRecords
import CausewayWire
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// Reading the log as an account.
extension HubClient {
    func events(_ query: String = "") async throws -> WireEvents {
        let answer = try await get(WireProtocol.eventsPath + (query.isEmpty ? "" : "?" + query))
        guard answer.status == 200 else { throw Unexpected(status: answer.status, text: answer.text) }
        #expect(answer.headers.first(name: "Cache-Control") == "no-store")
        return try answer.decoded(WireEvents.self)
    }

    /// The end of the log.
    func eventCursor() async throws -> String {
        let end = try await events()
        #expect(end.events.isEmpty && end.limited.isEmpty && end.isUpToDate && !end.isReset)
        return end.cursor
    }

    /// All parts up to the end, as one.
    func allEvents(after cursor: String, limit: Int = 1000) async throws -> WireEvents {
        var all = WireEvents(events: [], cursor: cursor, isUpToDate: false)
        while !all.isUpToDate {
            let part = try await events("cursor=\(all.cursor)&limit=\(limit)")
            #expect(part.events.count <= limit)
            all.events += part.events
            all.limited += part.limited
            all.cursor = part.cursor
            all.isUpToDate = part.isUpToDate
            if part.isReset {
                all.isReset = true
                break
            }
        }
        return all
    }

    /// Opens a stream of server-sent events, and closes it after `body`.
    func streaming<Value: Sendable>(
        _ query: String, headers: HTTPHeaders = [:], _ body: (inout EventStream) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var headers = headers
            headers.add(name: "Host", value: "127.0.0.1")
            headers.add(name: "Accept", value: "text/event-stream")
            headers.add(name: "Authorization", value: "Bearer \(token ?? "")")
            let uri = WireProtocol.eventsPath + (query.isEmpty ? "" : "?" + query)
            try await outbound.write(
                .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)))
            try await outbound.write(.end(nil))
            var stream = EventStream(parts: inbound.makeAsyncIterator())
            return try await body(&stream)
        }
    }

    /// A stream of server-sent events, as a reader sees it.
    struct EventStream {
        enum Block: Equatable {
            case comment
            case part(id: String, WireEvents)
        }

        fileprivate var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        private(set) var head: HTTPResponseHead?
        private var text = ""

        fileprivate init(parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator) {
            self.parts = parts
        }

        /// The next block; `nil` at the end of the stream.
        mutating func next() async throws -> Block? {
            while true {
                if let end = text.range(of: "\n\n") {
                    let block = String(text[..<end.lowerBound])
                    text.removeSubrange(..<end.upperBound)
                    return try Self.parsed(block)
                }
                switch try await parts.next(isolation: #isolation) {
                case .head(let head): self.head = head
                case .body(let bytes): text += String(buffer: bytes)
                case .end, nil:
                    #expect(text.isEmpty, "a stream ends between blocks")
                    return nil
                }
            }
        }

        /// The next part, without comments.
        mutating func nextPart() async throws -> WireEvents? {
            while let block = try await next() {
                guard case .part(let id, let events) = block else { continue }
                #expect(id == events.cursor)
                return events
            }
            return nil
        }

        private static func parsed(_ block: String) throws -> Block {
            if block == ":" { return .comment }
            let lines = block.split(separator: "\n").map(String.init)
            #expect(lines.count == 2 && lines[0].hasPrefix("id: ") && lines[1].hasPrefix("data: "))
            let events = try JSONDecoder().decode(WireEvents.self, from: Data(lines[1].dropFirst(6).utf8))
            return .part(id: String(lines[0].dropFirst(4)), events)
        }
    }
}

extension WireEvents {
    /// The kinds and ids of the events; with a minus sign for a deleted record.
    var names: [String] { events.map { ($0.value == nil ? "-" : "") + "\($0.kind) \($0.id)" } }
}

/// An account that changes things: one delivery after the other in one lane.
actor EventAuthor {
    let user: String
    nonisolated let client: HubClient
    private var mark: Int64 = 0
    private var lastID: UInt64

    /// - Parameter ids: the ids of its operations begin after this number.
    init(_ user: String, _ client: HubClient, ids: UInt64) {
        self.user = user
        self.client = client
        lastID = ids
    }

    /// Delivers one operation.
    ///
    /// - Returns: its id, and its result.
    @discardableResult
    func deliver(_ make: (_ sequence: Int64, _ number: UInt64) throws -> WireOperation) async throws -> (
        number: UInt64, result: WireResult
    ) {
        lastID += 1
        var operation = try make(mark + 1, lastID)
        operation.previous = mark
        let report = try await client.report(delivery([operation]))
        mark = report.mark
        return (lastID, try #require(report.results.first))
    }

    @discardableResult
    func member(_ verb: ChannelMemberAction.Verb, _ id: String) async throws -> WireResult.Kind {
        let id = try #require(ChannelMemberID(id))
        return try await deliver { write($0, $1, ChannelMemberAction(verb, id).write) }.result.kind
    }

    @discardableResult
    func channel(
        _ action: (ChannelID, ChannelSettings) -> ChannelAction, _ id: String, _ settings: ChannelSettings
    ) async throws -> WireResult.Kind {
        let action = action(try #require(ChannelID(id)), settings)
        return try await deliver { write($0, $1, action.write) }.result.kind
    }

    @discardableResult
    func send(_ text: String = "text", to channel: String = "general") async throws -> UInt64 {
        try await deliver { CausewayHubTests.send($0, $1, channel: channel, content: .text(text)) }.number
    }
}
