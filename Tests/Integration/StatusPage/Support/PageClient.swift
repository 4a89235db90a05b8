import CausewayTestSupport
import Foundation
import NIOCore
import NIOPosix

/// Sends requests as bytes over a real socket and returns the response: also requests that no browser makes.
struct PageClient: Sendable {
    let address: String
    let port: Int
    let host: String

    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: String

        /// The value of a header field; `nil` when it is absent.
        func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                    continue
                }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }

    init(address: String) throws {
        guard let url = URL(string: address), let port = url.port, let host = url.host else {
            throw PageWorld.Unserved()
        }
        self.address = address
        self.port = port
        self.host = "\(host):\(port)"
    }

    func get(_ path: String, _ fields: [(String, String)] = []) async throws -> Answer {
        try await send("GET", path, host: host, fields)
    }

    /// Sends a form as a current browser sends it from the page's own form.
    func post(_ path: String, _ form: String, _ fields: [(String, String)] = []) async throws -> Answer {
        try await send("POST", path, host: host, Self.formFields(address) + fields, form)
    }

    static func formFields(_ origin: String) -> [(String, String)] {
        [
            ("Origin", origin), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "document"), ("Content-Type", "application/x-www-form-urlencoded"),
        ]
    }

    func send(
        _ method: String, _ target: String, host: String?, _ fields: [(String, String)], _ body: String = ""
    ) async throws -> Answer {
        var lines = ["\(method) \(target) HTTP/1.1", "Connection: close"]
        if let host { lines.append("Host: \(host)") }
        lines += fields.map { "\($0): \($1)" }
        if !body.isEmpty || method == "POST" { lines.append("Content-Length: \(body.utf8.count)") }
        return try await raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Sends bytes and reads until the other side closes.
    func raw(_ text: String) async throws -> Answer {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // The other side may close before it has read everything.
            try? await outbound.write(ByteBuffer(string: text))
            var bytes = ByteBuffer()
            do {
                for try await var part in inbound { bytes.writeBuffer(&part) }
            } catch is IOError {}
            return Self.parse(String(buffer: bytes))
        }
    }

    /// Sends bytes, then one more each time, until the other side closes.
    func drip(_ text: String, everyMilliseconds milliseconds: Int) async throws -> Answer {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // On a busy machine the other side may have closed before the first byte.
            try? await outbound.write(ByteBuffer(string: text))
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        await Eventually.pass(.milliseconds(milliseconds))
                        try await outbound.write(ByteBuffer(string: "a"))
                    }
                }
                var bytes = ByteBuffer()
                do {
                    for try await var part in inbound { bytes.writeBuffer(&part) }
                } catch is IOError {}
                group.cancelAll()
                while await group.nextResult() != nil {}
                return Self.parse(String(buffer: bytes))
            }
        }
    }

    /// Opens the stream of events and holds it while `body` runs.
    func listening(_ count: Int, _ body: () async throws -> Void) async throws {
        var channels: [any Channel] = []
        for _ in 0..<count {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            let request = "GET /events HTTP/1.1\r\nHost: \(host)\r\nAccept: text/event-stream\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            channels.append(channel)
        }
        let result: Result<Void, any Error>
        do {
            try await body()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for channel in channels { try? await channel.close() }
        try result.get()
    }

    /// The name of the first event of the page's stream.
    func firstEvent() async throws -> String? {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(
                ByteBuffer(string: "GET /events HTTP/1.1\r\nConnection: close\r\nHost: \(host)\r\n\r\n"))
            var text = ""
            for try await part in inbound {
                text += String(buffer: part)
                if let event = text.firstMatch(of: /event: ([a-z]+)\n/) { return String(event.1) }
            }
            return nil
        }
    }

    private static func parse(_ text: String) -> Answer {
        guard let end = text.range(of: "\r\n\r\n") else { return Answer(status: 0, head: text, body: "") }
        let head = String(text[..<end.lowerBound])
        var body = String(text[end.upperBound...])
        if head.lowercased().contains("transfer-encoding: chunked") { body = unchunked(body) }
        return Answer(status: Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0, head: head, body: body)
    }

    private static func unchunked(_ text: String) -> String {
        var rest = text.utf8[...]
        var whole: [UInt8] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), size > 0
        {
            rest = rest[rest.index(end, offsetBy: 2)...]
            whole += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return String(decoding: whole, as: UTF8.self)
    }
}
