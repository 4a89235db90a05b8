import Causeway
import CausewayCommandLine
import CausewayConfiguration
import CausewayControlAPI
import CausewayTestSupport
import Foundation
import Testing

@Suite struct FileCredentialStoreTests {
    private let folder: TemporaryFolder
    private let store: FileCredentialStore
    private let session: Session
    private let token: AccessToken

    init() throws {
        folder = try TemporaryFolder(.short)
        store = FileCredentialStore(folder: folder.path)
        session = Session(
            id: SessionID(SystemRuntime().makeUUIDv7()), server: "https://chat.example",
            user: try #require(UserID("ann")), startedAt: Timestamp(milliseconds: 0))
        token = try #require(AccessToken("s3cret"))
    }

    private var path: String { "\(folder.path)/token-\(session.id)" }

    @Test func aTokenIsKeptReplacedAndForgotten() async throws {
        #expect(try await store.token(for: session) == nil)
        try await store.save(token, for: session)
        #expect(try await store.token(for: session) == token)
        #expect(try TemporaryFolder.mode(of: path) == 0o600)
        let other = try #require(AccessToken("0ther"))
        try await store.save(other, for: session)
        #expect(try await store.token(for: session) == other)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        try await store.remove(for: session)
        #expect(try await store.token(for: session) == nil)
        try await store.remove(for: session)
    }

    /// The file that a crash between writing and renaming leaves neither blocks a save nor passes on its mode.
    @Test func anUnfinishedFileIsReplaced() async throws {
        _ = try folder.write("half", to: "token-\(session.id).new", mode: 0o666)
        try await store.save(token, for: session)
        #expect(try await store.token(for: session) == token)
        #expect(try TemporaryFolder.mode(of: path) == 0o600)
    }

    @Test(arguments: [0o640, 0o604, 0o644])
    func aFileThatOthersMayReadIsRefused(mode: Int) async throws {
        try await store.save(token, for: session)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        do throws(CredentialError) {
            _ = try await store.token(for: session)
            Issue.record("others may read it")
        } catch {
            #expect(error.description.contains("chmod 600"))
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test func noErrorHoldsTheToken() async throws {
        let nowhere = FileCredentialStore(folder: folder.path + "/none")
        do throws(CredentialError) {
            try await nowhere.save(token, for: session)
            Issue.record("there is no such folder")
        } catch {
            #expect(error.description.contains(folder.path))
            #expect(!error.description.contains("s3cret"))
        }
        try await store.save(token, for: session)
        try Data("two words".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        do throws(CredentialError) {
            _ = try await store.token(for: session)
            Issue.record("that is no token")
        } catch {
            #expect(!error.description.contains("two words"))
        }
    }

    @Test func whatALoginSaidOfACertificateIsKeptForTheNextStart() throws {
        let server = "https://chat.example:8443"
        let trust = try FileTrustStore(folder: folder.path)
        #expect(trust.authoritiesFile(for: server) == nil)
        try trust.keep(TrustEntry(authorities: "PEM", certificatePath: "/c", keyPath: "/k"), for: server)
        let next = try FileTrustStore(folder: folder.path)
        let file = try #require(next.authoritiesFile(for: server))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "PEM")
        #expect(next.entry(for: server)?.keyPath == "/k")
        #expect(next.authoritiesFile(for: server + "0") == nil)
        #expect(next.authoritiesFile(for: "https://Chat.example:8443/") == file)
        try next.keep(nil, for: server)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try FileTrustStore(folder: folder.path).entry(for: server) == nil)
    }

    /// It has a file of its own until it is withdrawn.
    @Test func aProposalIsUsedAndNotStored() throws {
        let server = "https://chat.example"
        let trust = try FileTrustStore(folder: folder.path)
        try trust.keep(TrustEntry(authorities: "PEM"), for: server)
        try trust.propose(TrustEntry(authorities: "OTHER"), for: server + "/")
        let proposed = try #require(trust.authoritiesFile(for: server))
        #expect(try String(contentsOfFile: proposed, encoding: .utf8) == "OTHER")
        #expect(trust.entry(for: server)?.authorities == "OTHER" && trust.entry(for: server + "0") == nil)
        #expect(try FileTrustStore(folder: folder.path).entry(for: server)?.authorities == "PEM")
        // Another proposal replaces it; an empty one leaves nothing to use.
        try trust.propose(TrustEntry(), for: server)
        #expect(trust.entry(for: server) == nil && trust.authoritiesFile(for: server) == nil)
        #expect(!FileManager.default.fileExists(atPath: proposed))
        trust.withdraw()
        let file = try #require(trust.authoritiesFile(for: server))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "PEM")
        let long = "https://chat.example/" + String(repeating: "a", count: 200)
        let error = #expect(throws: ControlError.self) {
            try trust.propose(TrustEntry(authorities: "OTHER"), for: long)
        }
        #expect(error?.code == .badRequest && trust.entry(for: long) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    /// Their names would be cut at the same place.
    @Test func twoServersWithLongAddressesDoNotShareTheirAuthorities() throws {
        let trust = try FileTrustStore(folder: folder.path)
        let long = "https://chat.example/" + String(repeating: "a", count: 200)
        for server in [long + "b", long + "c"] {
            let error = #expect(throws: ControlError.self) {
                try trust.keep(TrustEntry(authorities: "PEM"), for: server)
            }
            #expect(error?.code == .badRequest)
            #expect(trust.authoritiesFile(for: server) == nil)
            try trust.keep(TrustEntry(certificatePath: "/c", keyPath: "/k"), for: server)
            #expect(trust.entry(for: server)?.keyPath == "/k")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["servers.json"])
    }

    /// The longer one has no file of its own, and its name would be cut to that of the other.
    @Test func anAddressThatIsTooLongRemovesNoAuthoritiesOfAnother() throws {
        let trust = try FileTrustStore(folder: folder.path)
        let longest = "https://chat.example/" + String(repeating: "a", count: 169)
        try trust.keep(TrustEntry(authorities: "PEM"), for: longest)
        let file = try #require(trust.authoritiesFile(for: longest))
        let error = #expect(throws: ControlError.self) {
            try trust.keep(TrustEntry(authorities: "OTHER"), for: longest + "b")
        }
        #expect(error?.code == .badRequest)
        try trust.keep(TrustEntry(certificatePath: "/c", keyPath: "/k"), for: longest + "b")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "PEM")
        try trust.keep(nil, for: longest + "b")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "PEM")
    }

    /// The session that goes on needs them at the next start.
    @Test(
        arguments: [TrustEntry(authorities: "OTHER"), TrustEntry(certificatePath: "/c", keyPath: "/k"), nil]
            as [TrustEntry?])
    func aChangeThatCannotBeStoredLeavesTheAuthoritiesAsTheyWere(change: TrustEntry?) throws {
        let server = "https://chat.example"
        let trust = try FileTrustStore(folder: folder.path)
        try trust.keep(TrustEntry(authorities: "PEM"), for: server)
        let file = try #require(trust.authoritiesFile(for: server))
        let obstacle = folder.path + "/servers.json.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let error = #expect(throws: ControlError.self) { try trust.keep(change, for: server) }
        #expect(error?.code == .storeNotAccessible)
        #expect(trust.entry(for: server) == TrustEntry(authorities: "PEM"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "PEM")
        try FileManager.default.removeItem(atPath: obstacle)
        try trust.keep(change, for: server)
        #expect(trust.entry(for: server) == change)
        #expect(FileManager.default.fileExists(atPath: file) == (change?.authorities != nil))
    }

    /// The first authorities of a server have none to put back.
    @Test func authoritiesThatCannotBeStoredLeaveNoFile() throws {
        let trust = try FileTrustStore(folder: folder.path)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/servers.json.new", withIntermediateDirectories: false)
        #expect(throws: ControlError.self) {
            try trust.keep(TrustEntry(authorities: "PEM"), for: "https://chat.example")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["servers.json.new"])
    }

    /// A file that were larger could not be read at the next start, which would fail.
    @Test func theCertificatesOfAllServersAreBounded() throws {
        let trust = try FileTrustStore(folder: folder.path, bytesMax: 1000)
        let entry = TrustEntry(authorities: String(repeating: "a", count: 600))
        try trust.keep(entry, for: "https://a.example")
        let error = #expect(throws: ControlError.self) { try trust.keep(entry, for: "https://b.example") }
        #expect(error?.code == .tooLarge)
        let next = try FileTrustStore(folder: folder.path, bytesMax: 1000)
        #expect(next.entry(for: "https://a.example") == entry)
        #expect(next.entry(for: "https://b.example") == nil)
        try next.keep(nil, for: "https://a.example")
        try next.keep(entry, for: "https://b.example")
        #expect(next.entry(for: "https://b.example") == entry)
    }

    @Test func theTokenIsReadFromAFileOrTheEnvironment() async throws {
        let file = try folder.write("  s3cret\n", to: "token", mode: 0o600)
        let terminal = Terminal(environment: [:])
        let environment = ["CAUSEWAY_TOKEN": "0ther"]
        #expect(try await TokenInput(file: file, environment: environment).token(terminal: terminal) == token)
        #expect(try await TokenInput(file: nil, environment: environment).token(terminal: terminal).text == "0ther")
        let wrong = try folder.write("two words", to: "wrong", mode: 0o600)
        do throws(ControlError) {
            _ = try await TokenInput(file: wrong, environment: [:]).token(terminal: terminal)
            Issue.record("that is no token")
        } catch {
            #expect(error.code == .badRequest)
            #expect(!error.detail.contains("two words"))
        }
    }

    @Test(arguments: [(0o644, false), (0o604, false), (0o660, false), (0o640, true), (0o400, true)])
    func aTokenFileThatOthersCanReadIsRefused(mode: Int, isAccepted: Bool) async throws {
        let file = try folder.write("s3cret\n", to: "exposed", mode: mode)
        do throws(ControlError) {
            let read = try await TokenInput(file: file, environment: [:]).token(terminal: Terminal(environment: [:]))
            #expect(isAccepted && read == token)
        } catch {
            #expect(!isAccepted)
            #expect(error.code == .badRequest)
            #expect(error.detail == "\(file) can be read or written by others; run chmod 600 on it")
        }
    }
}
