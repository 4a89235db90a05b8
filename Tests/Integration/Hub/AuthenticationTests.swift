import CausewayHTTPServer
import CausewayHub
import CausewayHubStorage
import CausewayModels
import CausewayWire
import Foundation
import NIOHTTP1
import Testing

@Suite struct AuthenticationTests {
    private static let gated: [(HTTPMethod, String)] = [
        (.GET, "/v1/session"), (.GET, "/v1/records/channel"), (.PUT, "/v1/channels/new"),
        (.GET, "/v1/channels/general/messages"), (.GET, "/v1/messages/x"), (.POST, "/v1/deliveries"),
    ]

    @Test func everyPathBehindTheGateRefusesAWrongToken() async throws {
        try await HubFixture.running { hub in
            let right = hub.client.token ?? ""
            let wrong: [HTTPHeaders] = [
                [:], ["Authorization": ""], ["Authorization": "Bearer"], ["Authorization": "Bearer "],
                ["Authorization": "Basic \(right)"], ["Authorization": right],
                ["Authorization": "Bearer \(right)x"], ["Authorization": "Bearer \(right.dropLast())"],
                ["Authorization": "Bearer \(right)", "authorization": "Bearer \(right)"],
                ["Authorization": "Bearer " + String(repeating: "a", count: 5000)],
            ]
            let stranger = HubClient(port: hub.port, token: nil)
            for (index, headers) in wrong.enumerated() {
                let (method, path) = Self.gated[index % Self.gated.count]
                let answer = try await stranger.send(method, path, headers: headers)
                #expect(answer.status == 401, "\(path) \(index)")
                #expect(answer.errorCode == "tokenRefused")
                #expect(answer.headers.first(name: "WWW-Authenticate") == "Bearer")
            }
            #expect(try await hub.client.get("/v1/records/channel/general").status == 200)
            #expect(try await stranger.get("/healthz").status == 200)
        }
    }

    @Test func guessersAreToldToWaitAndOthersAreNot() async throws {
        // No peer earns a further attempt meanwhile, however slow the machine is.
        try await HubFixture.running(attemptRefill: .seconds(3600)) { hub in
            let guesser = HubClient(port: hub.port, token: "cwt_guess")
            for number in 0..<HubLimits.failedAttemptsMax {
                #expect(try await guesser.get("/v1/session").status == 401, "\(number)")
            }
            let last = try await guesser.get("/v1/session")
            #expect(last.status == 429)
            #expect(last.errorCode == "tooManyAttempts")
            #expect((last.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 0) >= 1)
            // A valid token is accepted, also from the guesser's address.
            #expect(try await hub.client.get("/v1/session").status == 200)
        }
    }

    @Test func requestsWithoutATokenDoNotCountAsGuesses() async throws {
        try await HubFixture.running(attemptRefill: .seconds(3600)) { hub in
            let stranger = HubClient(port: hub.port, token: nil)
            let shapes: [HTTPHeaders] = [[:], ["Authorization": "Basic x"]]
            for number in 0..<2 * HubLimits.failedAttemptsMax {
                let response = try await stranger.send(.GET, "/v1/session", headers: shapes[number % shapes.count])
                #expect(response.status == 401, "\(number)")
            }
            // The log is bounded all the same, and a guesser from this address has lost no attempt.
            let line = "token refused peer=127.0.0.1 reason=missing"
            #expect(hub.log.lines.filter { $0.contains(line) }.count == HubLimits.failedAttemptsMax)
            let guesser = HubClient(port: hub.port, token: "cwt_guess")
            #expect(try await guesser.get("/v1/session").status == 401)
        }
    }

    @Test func aRenewedTokenReplacesTheOldOneAtOnce() async throws {
        try await HubFixture.running { hub in
            let fresh = try await hub.hub.administration.renewAccount("me")
            #expect(try await hub.client.get("/v1/session").status == 401)
            #expect(try await HubClient(port: hub.port, token: fresh.text).get("/v1/session").status == 200)
        }
    }

    @Test func aRemovedAccountIsRefusedAndItsNameStaysItsOwn() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            _ = try await other.report(delivery([send(1)]))
            try await hub.hub.administration.removeAccount("other")
            #expect(try await other.get("/v1/session").status == 401)
            #expect(try await hub.client.messages().map(\.sender.value) == ["other"])
            await #expect(throws: HubError.storage(.taken(kind: "account", name: "other"))) {
                try await hub.hub.administration.addAccount("other")
            }
            await #expect(throws: HubError.storage(.unknownAccount(name: "other"))) {
                try await hub.hub.administration.removeAccount("other")
            }
            let back = HubClient(port: hub.port, token: try await hub.hub.administration.renewAccount("other").text)
            #expect(try await back.report(delivery([send(1), send(2)])).positions == [1, 2])
        }
    }

    @Test func noFileOfTheDatabaseHoldsAToken() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1, content: .text("a text that is stored as it is"))]))
            let token = Array((hub.client.token ?? "").utf8)
            let secret = Array(token.dropFirst("cwt_".count))
            #expect(secret.count == 64)
            let files = [hub.folder.database, hub.folder.database + "-wal", hub.folder.lock]
            var bytes: [UInt8] = []
            for file in files { bytes += Array(try Data(contentsOf: URL(fileURLWithPath: file))) }
            #expect(!Self.contains(bytes, secret))
            #expect(!Self.contains(bytes, Self.unhex(secret)))
            // The search finds text that is present.
            #expect(Self.contains(bytes, Array("a text that is stored as it is".utf8)))
        }
    }

    @Test func aTokenPrintsAsDots() async throws {
        try await HubFixture.running { hub in
            let token = try await hub.hub.administration.addAccount("other")
            var dumped = ""
            dump(token, to: &dumped)
            for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains(token.text)) }
            let mode = try FileManager.default.attributesOfItem(atPath: hub.folder.token(of: "me"))[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }

    private static func unhex(_ digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}

@Suite struct AttemptLimiterTests {
    private func time(_ seconds: Int64) -> MonotonicTime { .zero + .seconds(1000 + seconds) }

    @Test func aBurstThenOneForEachRefill() {
        var limiter = AttemptLimiter(burst: 3, refill: .seconds(2), peersMax: 10)
        let burst = (0..<3).map { _ in limiter.recordFailure(of: "a", at: time(0)) }
        #expect(burst == [nil, nil, nil])
        let waits = (0..<3).map { _ in limiter.recordFailure(of: "a", at: time(0)) }
        #expect(waits == [2, 2, 2])
        let early = limiter.recordFailure(of: "a", at: time(1))
        #expect(early == 1)
        let later = [limiter.recordFailure(of: "a", at: time(2)), limiter.recordFailure(of: "a", at: time(2))]
        #expect(later == [nil, 2])
    }

    @Test func peersAreCountedApart() {
        var limiter = AttemptLimiter(burst: 1, refill: .seconds(2), peersMax: 10)
        let answers = ["a", "b", "a"].map { limiter.recordFailure(of: $0, at: time(0)) }
        #expect(answers == [nil, nil, 2])
    }

    @Test func morePeersThanAreTrackedShareOneCount() {
        var limiter = AttemptLimiter(burst: 1, refill: .seconds(2), peersMax: 2)
        let answers = ["a", "b", "c", "d", "e"].map { limiter.recordFailure(of: $0, at: time(0)) }
        #expect(answers == [nil, nil, nil, 2, 2])
        #expect(limiter.peers == 2)
        // Peers whose failures are long past are evicted.
        let late = limiter.recordFailure(of: "d", at: time(100))
        #expect(late == nil)
        #expect(limiter.peers == 1)
    }

    /// A peer that must wait before its attempt records no failure, which would make room.
    @Test func aPeerWaitsForNoOthersOnceTrackedOnesHaveRecovered() {
        var limiter = AttemptLimiter(burst: 1, refill: .seconds(2), peersMax: 2)
        for (peer, seconds) in [("a", 0), ("b", 0), ("c", 2), ("d", 2), ("e", 3)] as [(String, Int64)] {
            _ = limiter.recordFailure(of: peer, at: time(seconds))
        }
        let early = limiter.wait(of: "f", at: time(3))
        #expect(early == 2, "e is not tracked, and shares the count of all others")
        let late = limiter.wait(of: "f", at: time(4))
        #expect(late == nil)
    }

    /// A look at all peers for each failure would cost more than the failure.
    @Test func recoveredPeersAreLookedForOnceInARefill() {
        var limiter = AttemptLimiter(burst: 1, refill: .seconds(2), peersMax: 2)
        for (peer, seconds) in [("a", 0), ("b", 0), ("c", 1), ("d", 2)] as [(String, Int64)] {
            _ = limiter.recordFailure(of: peer, at: time(seconds))
        }
        #expect(limiter.peers == 2, "the last look was a second ago")
        _ = limiter.recordFailure(of: "e", at: time(3))
        #expect(limiter.peers == 1)
    }
}
