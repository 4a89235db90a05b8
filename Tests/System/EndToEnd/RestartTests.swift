import Causeway
import CausewayHub
import CausewayModels
import CausewayTestSupport
import Testing

@Suite struct RestartTests {
    @Test(arguments: StoreKind.allCases)
    func resumeDeliversTheBacklogInOrder(_ stores: StoreKind) async throws {
        try await RealWorld.run(on: stores) { world in
            let credentials = MemoryCredentialStore()
            var configuration = RealWorld.quick
            configuration.restart = .resume
            let first = try await world.open(credentials: credentials, configuration)
            try await first.login(server: world.address, token: try world.token())
            try await first.pause()
            var ids: [MessageID] = []
            for number in 1...300 {
                ids.append(try await first.messages.createTextMessage("\(number)", in: world.general).id)
            }
            await first.close()
            let second = try await world.open(credentials: credentials, configuration)
            try await Eventually.holds("all are synced") { try await second.status().counts.undelivered == 0 }
            #expect(try await world.onTheHub().map(\.id) == ids)
            await second.close()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func failMarksTheBacklogAndAResendDeliversIt(_ stores: StoreKind) async throws {
        try await RealWorld.run(on: stores) { world in
            let credentials = MemoryCredentialStore()
            let first = try await world.open(credentials: credentials)
            try await first.login(server: world.address, token: try world.token())
            try await first.pause()
            var ids: [MessageID] = []
            for number in 1...10 {
                ids.append(try await first.messages.createTextMessage("\(number)", in: world.general).id)
            }
            await first.close()
            let second = try await world.open(credentials: credentials)
            let failed = try await second.messages.failedMessages().messages
            #expect(failed.map(\.id) == ids)
            #expect(failed.allSatisfy { $0.failure?.reason == .sessionEnded })
            #expect(try await second.messages.resendFailedMessages() == 10)
            try await Eventually.holds("all are synced") { try await second.status().counts.undelivered == 0 }
            #expect(try await world.onTheHub().map(\.id) == ids)
            await second.close()
        }
    }

    @Test func aHubWhoseCertificateDoesNotVerifyPausesTheOutboxAndNothingFails() async throws {
        try await RealWorld.run(on: .file) { world in
            let credentials = MemoryCredentialStore()
            var configuration = RealWorld.quick
            configuration.restart = .resume
            let first = try await world.open(credentials: credentials, configuration)
            try await first.login(server: world.address, token: try world.token())
            await first.close()
            let stranger = TestCertificates.shared.trust
            let second = try await world.open(credentials: credentials, authority: stranger, configuration)
            let handle = try await second.messages.createTextMessage("hi", in: world.general)
            try await Eventually.holds("the certificate is not trusted") {
                try await second.status().actionRequired?.cause == .certificate
            }
            #expect(try await second.messages.storedMessage(handle.id)?.syncState == .created)
            #expect(try await second.messages.outbox().items.first?.wait?.description.contains("certificate") == true)
            await second.close()
            let third = try await world.open(credentials: credentials, configuration)
            try await Eventually.holds("it is delivered") { try await third.status().counts.undelivered == 0 }
            #expect(try await world.onTheHub().map(\.id) == [handle.id])
            await third.close()
        }
    }
}
