import CausewayHTTPServer
import NIOCore
import Testing

/// The key under which the attempts of a peer are counted.
@Suite struct PeerAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"), ("2001:db8:1:2::", "2001:db8:1:2"),
        // The text omits the zeros of the network part.
        ("2001:db8::1:2:3:4", "2001:db8:0:0"), ("2001:db8::9:2:3:4", "2001:db8:0:0"), ("2001:db8::5", "2001:db8:0:0"),
        ("::1", "0:0:0:0"), ("fe80::a:b:c:d", "fe80:0:0:0"),
    ])
    func aNetworkOfIPv6IsOnePeer(text: String, peer: String) throws {
        #expect(PeerAddress.text(of: try SocketAddress(ipAddress: text, port: 4711)) == peer)
    }
}
