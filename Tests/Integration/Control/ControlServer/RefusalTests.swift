import Causeway
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Testing

/// Requests that the socket refuses: browsers, malformed requests, too much, too slow. None of them has an effect.
@Suite struct RefusalTests {
    private static let head =
        "POST /v1/messages HTTP/1.1\r\nHost: causeway\r\nContent-Type: application/json\r\n"
    private static let message = #"{"channel":"general","text":"hi"}"#

    @Test(
        arguments: [
            "Origin: http://localhost", "Origin: null", "Referer: http://causeway/", "Sec-Fetch-Site: same-origin",
            "Sec-Fetch-Mode: cors", "sec-ch-ua: x", "Cookie: a=b", "origin: http://causeway",
        ])
    func browsersAreRefused(field: String) async throws {
        try await ControlWorld.run { world in
            let request = RawRequest.post("/v1/messages", Self.message, fields: [field])
            let answer = try await RawRequest.send(request, to: world.socketPath)
            #expect(answer.status == 403)
            #expect(answer.problem?.code == "forbidden")
            try await expectNothingTaken(world)
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1", "causeway.example", "causeway:80", "", "CAUSEWAY.localhost"])
    func otherHostsAreRefused(host: String) async throws {
        try await ControlWorld.run { world in
            let request = RawRequest.post("/v1/messages", Self.message, host: host)
            let answer = try await RawRequest.send(request, to: world.socketPath)
            #expect(answer.status == 403)
            try await expectNothingTaken(world)
        }
    }

    /// The control arm: the same request without any of that is accepted.
    @Test func aProgramIsAnswered() async throws {
        try await ControlWorld.run { world in
            let request = RawRequest.post("/v1/messages", Self.message)
            let answer = try await RawRequest.send(request, to: world.socketPath)
            #expect(answer.status == 201)
            try await Eventually.holds("it is delivered") { world.remote.texts == ["hi"] }
        }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var path = "/v1/messages"
        let body: String
        var type = "application/json"
        let status: Int
        let words: String

        var testDescription: String { words }
    }

    @Test(
        arguments: [
            Broken(body: "{", status: 400, words: "the body is not valid JSON"),
            Broken(body: "", status: 400, words: "the body is not valid JSON"),
            Broken(body: "[]", status: 413, words: "a request takes 1 to 1000 messages, not 0"),
            Broken(body: #"{"text":"hi"}"#, status: 400, words: "the body lacks the key `channel`"),
            Broken(
                body: #"{"channel":"general"}"#, status: 400, words: "a message needs either `text` or `custom`"),
            Broken(
                body: #"{"channel":"general","text":"a","custom":{}}"#, status: 400,
                words: "a message needs either `text` or `custom`"),
            Broken(
                body: #"{"channel":"a b","text":"hi"}"#, status: 400,
                words: "the body is wrong at `channel`: the channel's name contains a character other than"),
            Broken(
                body: #"{"channel":7,"text":"hi"}"#, status: 400,
                words: "the body has the wrong kind of value at `channel`"),
            Broken(body: #"{"channel":"general","text":""}"#, status: 422, words: "the text is empty"),
            Broken(
                body: #"{"channel":"general","custom":[1]}"#, status: 422,
                words: "a custom message must be a JSON object"),
            Broken(
                body: #"{"channel":"general","text":"hi"}"#, type: "text/plain", status: 400,
                words: "the body's Content-Type must be"),
            Broken(
                body: #"{"channel":"general","text":"hi"}"#, type: "application/x-www-form-urlencoded", status: 400,
                words: "the body's Content-Type must be"),
            Broken(
                body: "{\"channel\":\"general\",\"text\":\"hi\"}\n{\"channel\":\n", type: "application/x-ndjson",
                status: 400, words: "line 2 is not valid JSON"),
            Broken(path: "/v1/nothing", body: "{}", status: 404, words: "unknown path"),
            Broken(
                path: "/v1/resend", body: #"{"ids":[]}"#, status: 400, words: "a request takes 1 to 1000 message ids"),
            Broken(path: "/v1/delete", body: #"{"ids":["x"]}"#, status: 400, words: "the body is wrong at `ids.[0]`"),
        ])
    func brokenRequestsAreNamed(broken: Broken) async throws {
        try await ControlWorld.run { world in
            let request = RawRequest.post(broken.path, broken.body, type: broken.type)
            let answer = try await RawRequest.send(request, to: world.socketPath)
            #expect(answer.status == broken.status)
            let detail = try #require(answer.problem?.detail)
            #expect(detail.hasPrefix(broken.words))
            try await expectNothingTaken(world)
        }
    }

    @Test func aBodyThatIsTooLargeIsRefused() async throws {
        try await ControlWorld.run { world in
            let announced = Array(
                "\(Self.head)Content-Length: \(ControlLimits.bodyBytesMax + 1)\r\n\r\n"
                    .utf8)
            let early = try await RawRequest.send(announced, to: world.socketPath, halfClose: false)
            #expect(early.status == 413)
            #expect(early.problem?.code == "tooLarge")

            // Without a length: in chunks.
            let piece = String(repeating: " ", count: 0x10000)
            var chunked =
                "\(Self.head)Transfer-Encoding: chunked\r\n\r\n"
            for _ in 0..<(ControlLimits.bodyBytesMax / 0x10000 + 2) { chunked += "10000\r\n\(piece)\r\n" }
            let late = try await RawRequest.send(Array((chunked + "0\r\n\r\n").utf8), to: world.socketPath)
            #expect(late.status == 413)
            try await expectNothingTaken(world)
        }
    }

    @Test func moreMessagesThanOneRequestHoldsAreRefused() async throws {
        try await ControlWorld.run { world in
            let count = ControlLimits.messagesPerRequestMax + 1
            let body = "[" + Array(repeating: Self.message, count: count).joined(separator: ",") + "]"
            let answer = try await RawRequest.send(RawRequest.post("/v1/messages", body), to: world.socketPath)
            #expect(answer.status == 413)
            try await expectNothingTaken(world)
        }
    }

    @Test func fieldsThatAreTooLargeAndWhatIsNoHTTPAreAnsweredInJSON() async throws {
        try await ControlWorld.run { world in
            let large = RawRequest.post(
                "/v1/messages", Self.message, fields: ["X-Large: " + String(repeating: "x", count: 40_000)])
            let tooLarge = try await RawRequest.send(large, to: world.socketPath, halfClose: false)
            #expect(tooLarge.status == 431)
            #expect(tooLarge.problem?.detail == "the request header is too large")
            let noise = try await RawRequest.send(Array("\u{16}\u{3}\u{1} noise\r\n\r\n".utf8), to: world.socketPath)
            #expect(noise.status == 400)
            #expect(noise.problem?.detail == "invalid HTTP request")
            try await expectNothingTaken(world)
        }
    }

    @Test func aRequestThatDoesNotArriveInTimeIsCutOff() async throws {
        try await ControlWorld.run(requestTime: .milliseconds(100)) { world in
            let head = Self.head
            let slowHead = try await RawRequest.send(Array(head.utf8), to: world.socketPath, halfClose: false)
            #expect(slowHead.status == 0)
            let slowBody = try await RawRequest.send(
                Array((head + "Content-Length: 100\r\n\r\n{").utf8), to: world.socketPath, halfClose: false)
            #expect(slowBody.status != 201)
            try await expectNothingTaken(world)
        }
    }

    /// The rest of a refused request is no request that awaits a response.
    @Test func aConnectionThatIsIdleAfterARefusalIsCutOff() async throws {
        try await ControlWorld.run(requestTime: .seconds(3)) { world in
            let head = "POST /v1/messages HTTP/1.1\r\nHost: causeway\r\nContent-Type: text/plain\r\n"
            let answer = try await RawRequest.send(
                Array((head + "Content-Length: 2\r\n\r\n").utf8), thenRest: Array("{}".utf8), to: world.socketPath)
            #expect(answer.status == 400)
            try await expectNothingTaken(world)
        }
    }

    @Test func aRequestBehindAnotherMayAwaitItsResponseForLong() async throws {
        try await ControlWorld.run(requestTime: .seconds(5)) { world in
            try await world.client.setPaused(true)
            let channel = try #require(ChannelID("general"))
            let message = OutgoingMessage(channel: channel, text: "hi")
            let id = try #require(try await world.client.send([message]).ids.first)
            let path = "/v1/messages/\(id)/result?withinMs="
            let first = "GET \(path)0 HTTP/1.1\r\nHost: causeway\r\n\r\n"
            let second = "GET \(path)6000 HTTP/1.1\r\nHost: causeway\r\nConnection: close\r\n\r\n"
            let answer = try await RawRequest.send(
                Array((first + second).utf8), thenRest: [], to: world.socketPath)
            #expect(answer.text.components(separatedBy: #""outcome":"waiting""#).count == 3)
        }
    }

    private func expectNothingTaken(_ world: ControlWorld) async throws {
        #expect(try await world.local.status().counts.undelivered == 0)
        #expect(world.remote.order.isEmpty)
    }
}
