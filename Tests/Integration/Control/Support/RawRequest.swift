import CausewayControlAPI
import Foundation
import NIOCore
import NIOPosix

/// Sends bytes to a Unix socket and returns the response: for requests that no proper client makes.
enum RawRequest {
    struct Answer: Sendable {
        let text: String

        /// The status of the first response; 0 when there was none.
        var status: Int { Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0 }

        /// The error of a JSON response.
        var problem: ProblemDTO? {
            guard let start = text.range(of: "\r\n\r\n") else { return nil }
            return try? JSONDecoder().decode(ErrorResponse.self, from: Data(text[start.upperBound...].utf8)).error
        }
    }

    /// Sends the bytes and reads until the other side closes, or until a complete response with a length has arrived.
    static func send(_ bytes: [UInt8], to path: String, halfClose: Bool = true) async throws -> Answer {
        let channel = try await connect(to: path)
        return try await channel.executeThenClose { inbound, outbound in
            // The other side may close before it has read everything.
            try? await outbound.write(ByteBuffer(bytes: bytes))
            if halfClose { outbound.finish() }
            var text = ""
            do {
                for try await part in inbound {
                    text += String(buffer: part)
                    if isWhole(text) { break }
                }
            } catch is IOError {}
            return Answer(text: text)
        }
    }

    /// Sends the bytes, and the rest after a complete response with a length; reads until the other side closes.
    static func send(_ bytes: [UInt8], thenRest rest: [UInt8], to path: String) async throws -> Answer {
        let channel = try await connect(to: path)
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var text = ""
            var isRestSent = rest.isEmpty
            do {
                for try await part in inbound {
                    text += String(buffer: part)
                    guard !isRestSent, isWhole(text) else { continue }
                    isRestSent = true
                    try? await outbound.write(ByteBuffer(bytes: rest))
                }
            } catch is IOError {}
            return Answer(text: text)
        }
    }

    private static func connect(to path: String) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
    }

    private static func isWhole(_ text: String) -> Bool {
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        for line in text[..<end.lowerBound].split(separator: "\r\n")
        where line.lowercased().hasPrefix("content-length:") {
            let length = Int(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) ?? 0
            return text[end.upperBound...].utf8.count >= length
        }
        return false
    }

    /// Returns a request as a program would make it, with fields added or replaced.
    static func post(
        _ path: String, _ body: String, host: String? = "causeway", type: String? = "application/json",
        fields: [String] = []
    ) -> [UInt8] {
        var lines = ["POST \(path) HTTP/1.1"]
        if let host { lines.append("Host: \(host)") }
        if let type { lines.append("Content-Type: \(type)") }
        lines += ["Content-Length: \(body.utf8.count)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
