import CausewayTLS
import CausewayTestSupport
import Testing

/// The sessions that a client keeps, and resumes, without a network.
@Suite(.timeLimit(.minutes(10)))
struct SessionTests {
    private let certificates: TestCertificates
    private let client: TLSClientContext
    private let server: TLSServerContext

    init() throws {
        certificates = try TestCertificates()
        client = try certificates.client()
        server = try certificates.serverContext()
    }

    private func connection(to name: String) throws -> BackToBack {
        try BackToBack(certificates, client: client, server: server, serverName: name)
    }

    /// Connects and receives tickets.
    private func connects(to name: String = "localhost") throws -> Bool? {
        let pair = try connection(to: name)
        // The tickets are read with the first data.
        _ = pair.server.send("hello")
        try pair.exchange()
        return pair.clientLog.value.completed?.resumed
    }

    /// Connects as far as it takes to know whether a session is resumed: no ticket is received.
    private func resumes(_ name: String = "localhost") throws -> Bool? {
        try resumes(connection(to: name))
    }

    private func resumes(_ pair: BackToBack) throws -> Bool? {
        try pair.carry(from: pair.client, to: pair.server)
        try pair.carry(from: pair.server, to: pair.client)
        return pair.clientLog.value.completed?.resumed
    }

    @Test func sessionsAreKeptForSoManyNamesOnly() throws {
        for number in 0...TLSLimits.sessionNamesMax {
            #expect(try connects(to: "name\(number).example.test") == false)
        }
        #expect(try connects(to: "name\(TLSLimits.sessionNamesMax).example.test") == true)
        #expect(try connects(to: "name1.example.test") == true)
        #expect(try connects(to: "name0.example.test") == false)
    }

    @Test func aNameInUseIsKept() throws {
        for number in 0..<TLSLimits.sessionNamesMax {
            #expect(try connects(to: "name\(number).example.test") == false)
        }
        #expect(try resumes("name0.example.test") == true)
        #expect(try connects(to: "another.example.test") == false)
        #expect(try resumes("name0.example.test") == true)
        #expect(try resumes("name1.example.test") == false)
    }

    @Test func capitalsMakeNoOtherName() throws {
        #expect(try connects(to: "LOCALHOST") == false)
        #expect(try resumes("localhost") == true)
    }

    /// A full handshake brings two tickets.
    @Test func eachTicketIsUsedOnce() throws {
        #expect(try connects() == false)
        // Each of them begins before another one has used a ticket.
        let pairs = try (0..<3).map { _ in try connection(to: "localhost") }
        #expect(try pairs.map { try resumes($0) } == [true, true, false])
        #expect(try resumes() == false)
    }

    @Test func someSessionsAreKeptForAName() throws {
        // Each of them begins before there is a session.
        let pairs = try (0..<TLSLimits.sessionsPerNameMax).map { _ in try connection(to: "localhost") }
        for pair in pairs {
            _ = pair.server.send("hello")
            try pair.exchange()
            #expect(pair.clientLog.value.completed?.resumed == false)
        }
        for _ in 0..<TLSLimits.sessionsPerNameMax { #expect(try resumes() == true) }
        #expect(try resumes() == false)
    }

    /// They may have caused it.
    @Test func aFailedHandshakeEndsTheSessionsOfItsName() throws {
        #expect(try connects() == false)
        let other = try TestCertificates()
        let failed = try BackToBack(certificates, client: client, server: other.serverContext())
        try failed.exchange()
        #expect(failed.clientLog.value.tlsErrors.count == 1)
        #expect(try resumes() == false)
    }
}
