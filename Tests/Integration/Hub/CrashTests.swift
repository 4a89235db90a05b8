import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// The hub's process is killed with SIGKILL in the middle of its work, again and again.
@Suite struct CrashTests {
    @Test func whatWasAnsweredSurvivesAndWhatWasNotIsWholeOrNothing() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let token = try HubFixture.token(in: folder)
        var random = SplitMix64(seed: 7)
        var answered: [WireResult] = []
        var sent: Int64 = 0
        let batch: Int64 = 64
        var deathsInDoubt = 0
        var rounds = 0

        // On some machines every kill of the first rounds comes too late.
        while rounds < 6 || deathsInDoubt == 0 && rounds < 30 {
            rounds += 1
            let isLate = rounds > 6
            let process = try await HubProcess.start(folder)
            let client = HubClient(port: process.port, token: token)
            // A delivery that was in doubt at the last kill is repeated unchanged.
            if sent > answered.count {
                let doubt = (Int64(answered.count) + 1...sent).map { send($0) }
                let report = try await client.report(delivery(doubt))
                #expect(report.kinds.allSatisfy { $0 == .accepted })
                // All or nothing: positions follow those assigned before, in order, without gaps.
                let places = report.positions.compactMap { $0 }
                #expect(places == Array(Int64(answered.count) + 1...sent))
                answered += report.results
            }
            if !answered.isEmpty, !isLate {
                let repeated = try await client.report(delivery(answered.indices.map { send(Int64($0) + 1) }))
                #expect(repeated.results == answered)
            }
            for _ in 0..<(isLate ? 0 : Int.random(in: 1...4, using: &random)) {
                answered += try await client.report(delivery((sent + 1...sent + batch).map { send($0) })).results
                sent += batch
            }
            // A last delivery is sent, and the process is killed between its first byte and its response.
            let last = delivery((sent + 1...sent + batch).map { send($0) })
            sent += batch
            let spin = isLate ? 0 : Int.random(in: 0...6, using: &random)
            async let death = Self.dying(process, afterMilliseconds: spin)
            if let answer = try? await client.deliver(last), answer.status == 200 {
                answered += try answer.decoded(WireReport.self).results
            }
            _ = await death
            if sent > answered.count { deathsInDoubt += 1 }
        }
        // Otherwise the run has proved nothing.
        #expect(deathsInDoubt > 0)

        let acknowledged = answered.count
        let transmitted = Int(sent)
        try await HubFixture.running(folder) { hub in
            let messages = try await hub.client.messages()
            #expect(messages.count == acknowledged || messages.count == transmitted)
            #expect(messages.map(\.id) == messages.indices.map { id(UInt64($0) + 1) })
            #expect(messages.map(\.position) == messages.indices.map { Int64($0) + 1 })
        }
    }

    /// Kills the process after a chosen time, so that kills fall before, inside and after the transaction.
    private static func dying(_ process: HubProcess, afterMilliseconds milliseconds: Int) async -> Int32 {
        let time = TimeAmount.milliseconds(Int64(milliseconds))
        try? await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) {}.futureResult.get()
        return await process.end(SIGKILL)
    }

    @Test func aSecondServerOfOneFolderIsRefusedWithThePidOfTheFirst() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let process = try await HubProcess.start(folder)
        let second = try await Program.hub.run([
            "serve", "--data", folder.path, "--plain", "--listen", "127.0.0.1:0",
        ])
        #expect(second.status == 75)
        #expect(second.errors.contains("process \(process.pid)"))
        // The lock of a dead process is free.
        await process.end(SIGKILL)
        let third = try await HubProcess.start(folder)
        #expect(await third.end(SIGTERM) == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsItInPeaceWithItsRequestsAnswered(signal: Int32) async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let process = try await HubProcess.start(folder)
        let client = HubClient(port: process.port, token: try HubFixture.token(in: folder))
        // An idle connection does not delay the shutdown.
        let status = try await client.connected { connection in
            let body = try HubClient.coded(delivery([send(1)]))
            #expect(try await connection.send(.POST, WireProtocol.deliveriesPath, body).status == 200)
            return await process.end(signal)
        }
        #expect(status == 0)
    }
}
