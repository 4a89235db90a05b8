import CausewayControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request, bounded; refuses it with a reason.
enum RequestBody {
    @inline(never)
    static func json<Value: Decodable>(_ type: Value.Type, from request: Request) async throws -> Value {
        try ControlJSON.decode(type, from: try await data(of: request, kinds: ["application/json"]), what: "the body")
    }

    /// Decodes one message, an array of messages, or one message per line.
    static func messages(from request: Request) async throws -> [OutgoingMessage] {
        let data = try await data(of: request, kinds: ["application/json", ndjson])
        if kind(of: request) == ndjson { return try lines(data) }
        let first = data.first { !isSpace($0) }
        if first == UInt8(ascii: "[") {
            return try ControlJSON.decode([OutgoingMessage].self, from: data, what: "the body")
        }
        return [try ControlJSON.decode(OutgoingMessage.self, from: data, what: "the body")]
    }

    static let ndjson = "application/x-ndjson"

    private static func lines(_ data: Data) throws(ControlError) -> [OutgoingMessage] {
        var messages: [OutgoingMessage] = []
        var number = 0
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy(isSpace) { continue }
            guard messages.count < ControlLimits.messagesPerRequestMax else {
                throw ControlError(
                    .tooLarge,
                    "a request takes at most \(ControlLimits.messagesPerRequestMax) messages; none was accepted"
                )
            }
            messages.append(try ControlJSON.decode(OutgoingMessage.self, from: line, what: "line \(number)"))
        }
        return messages
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func kind(of request: Request) -> String {
        let value = request.headers[.contentType] ?? ""
        return value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    private static func data(of request: Request, kinds: [String]) async throws -> Data {
        // HTML forms of other sites cannot set this field.
        guard kinds.contains(kind(of: request)) else {
            throw ControlError(.badRequest, "the body's Content-Type must be \(kinds.joined(separator: " or "))")
        }
        let announced = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= ControlLimits.bodyBytesMax else { throw tooLarge }
        var buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: ControlLimits.bodyBytesMax)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
        return Data(buffer.readBytes(length: buffer.readableBytes) ?? [])
    }

    private static var tooLarge: ControlError {
        ControlError(.tooLarge, "the body is larger than \(ControlLimits.bodyBytesMax) bytes; nothing was accepted")
    }
}
