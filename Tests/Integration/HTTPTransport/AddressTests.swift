import CausewayHTTPTransport
import CausewayModels
import CausewayTLS
import CausewayTransport
import Testing

@Suite struct AddressTests {
    /// Shorter than the idle time-outs of common proxies, which are 30 s and more.
    @Test func aRequestForEventsWaits25Seconds() {
        #expect(HTTPTransportConfiguration().timeouts.eventWait == .seconds(25))
    }

    /// The error of creating a transport; nil if it can be created.
    private func refusal(_ address: String, _ configuration: HTTPTransportConfiguration) throws -> ActionRequired? {
        var registry = TransportRegistry()
        registry.registerHTTP(configuration)
        let token = try Sample.token()
        do throws(TransportError) {
            _ = try registry.makeTransport(to: address, token: token)
            return nil
        } catch {
            guard case .actionRequired(let actionRequired) = error else {
                Issue.record("\(error.name)")
                return nil
            }
            #expect(actionRequired.cause == .protocolMismatch)
            return actionRequired
        }
    }

    @Test func theErrorListsTheRegisteredSchemes() throws {
        var registry = TransportRegistry()
        #expect(registry.schemes.isEmpty)
        registry.registerHTTP()
        registry.register("board") { _, _ throws(TransportError) in throw .unreachable(detail: "not this one") }
        #expect(registry.schemes == ["auto", "board", "http", "https", "ws", "wss"])
        let token = try Sample.token()
        let error = #expect(throws: TransportError.self) {
            try registry.makeTransport(to: "gopher://user:pass-word@x", token: token)
        }
        #expect(error?.description.contains("board://, http://, https://") == true)
        #expect(error?.description.contains("pass-word") == false)
    }

    @Test(
        arguments: [
            "http://localhost", "http://LOCALHOST:8080", "http://127.0.0.1", "http://127.200.3.4:81", "http://[::1]:8",
            "http://[::ffff:127.0.0.1]/base", "HTTP://localhost/",
        ])
    func plainTextMayGoToThisMachine(_ address: String) throws {
        #expect(try refusal(address, HTTPTransportConfiguration(proxy: .none)) == nil)
    }

    @Test(
        arguments: [
            "http://chat.example", "http://chat.example:8443/", "http://128.0.0.1", "http://10.0.0.1", "http://0.0.0.0",
            "http://[::]", "http://[fe80::1]", "http://localhost.example", "http://a.localhost", "http://localhost.",
            "http://127.1", "http://2130706433", "http://127.0.0.1.example", "HTTP://chat.example",
        ])
    func plainTextMayGoNowhereElse(_ address: String) throws {
        let actionRequired = try refusal(address, HTTPTransportConfiguration(proxy: .none))
        #expect(actionRequired?.detail.contains("https://") == true)
        #expect(try refusal(address, HTTPTransportConfiguration(proxy: .none, allowsPlaintext: true)) == nil)
        let secured = "https" + address.dropFirst(4)
        #expect(try refusal(secured, HTTPTransportConfiguration(proxy: .none)) == nil)
    }

    @Test(
        arguments: [
            "https://", "https://chat example", "https://user:pass-word@chat.example",
            "https://chat.example?a=pass-word",
            "https://chat.example#a", "https://chat.example:0", "https://chat.example:70000", "https://chät.example/ö",
            "https:chat.example", "http:", "https://[::1", "https://a_b!c",
        ])
    func anAddressThatIsNoneIsRefused(_ address: String) throws {
        let actionRequired = try refusal(address, HTTPTransportConfiguration(proxy: .none))
        #expect(actionRequired?.detail.contains("invalid server address") == true)
        #expect(actionRequired?.detail.contains("pass-word") == false)
    }

    @Test func anotherSchemeIsNotServed() throws {
        for address in ["ftp://chat.example", "unix:/run/x", "chat.example", ""] {
            #expect(try refusal(address, HTTPTransportConfiguration()) != nil)
        }
    }

    @Test func aProxyThatIsNoneIsRefused() throws {
        let configuration = HTTPTransportConfiguration(
            proxy: .environment(["https_proxy": "socks5://user:pass-word@proxy.example"]))
        let actionRequired = try refusal("https://chat.example", configuration)
        #expect(actionRequired?.detail.contains("https_proxy") == true)
        #expect(actionRequired?.detail.contains("pass-word") == false)
    }

    @Test func aMissingAuthorityIsNamed() throws {
        let configuration = HTTPTransportConfiguration(
            tls: TLSClientConfiguration(trust: .authorities(path: "/nowhere/ca.pem")), proxy: .none)
        let token = try Sample.token()
        let error = #expect(throws: TransportError.self) {
            try HTTPTransport(to: "https://chat.example", token: token, configuration)
        }
        #expect(error?.name == "actionRequired(certificate)")
        #expect(error?.description.contains("/nowhere/ca.pem") == true)
    }

    @Test func aTransportDoesNotPrintItsToken() throws {
        let transport = try HTTPTransport(to: "https://chat.example/base", token: try Sample.token())
        var dumped = ""
        dump(transport, to: &dumped)
        for text in ["\(transport)", String(reflecting: transport), dumped] {
            #expect(text.contains("chat.example/base"))
            #expect(!text.contains(Sample.tokenText))
        }
    }

    @Test func capabilitiesAreTheHubs() throws {
        let capabilities = try HTTPTransport(to: "https://chat.example", token: try Sample.token()).capabilities
        #expect(capabilities.deliveriesInFlightMax == 6)
        #expect(capabilities.ordering == .sequenced)
        #expect(capabilities.batchOperationsMax == Limits.batchOperationsMax)
        #expect(capabilities.batchBytesMax == Limits.batchBytesMax)
    }
}
