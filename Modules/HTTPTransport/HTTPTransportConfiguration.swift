public import CausewayModels
public import CausewayTLS
public import NIOCore
public import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How `https:` and `http:` servers are reached. The defaults are right for a server with a certificate of a known
/// authority.
public struct HTTPTransportConfiguration: Sendable {
    /// How long the parts of one call may take.
    public struct Timeouts: Sendable, Hashable {
        /// From the first thought of a connection until it carries requests: name, TCP, proxy and TLS together.
        public var connect: Duration
        /// From the last byte of the request to the first of the answer.
        public var firstByte: Duration
        /// From the call to its end.
        public var whole: Duration

        public init(
            connect: Duration = .seconds(10), firstByte: Duration = .seconds(30), whole: Duration = .seconds(60)
        ) {
            self.connect = connect
            self.firstByte = firstByte
            self.whole = whole
        }
    }

    public enum Proxy: Sendable, Hashable {
        /// Always direct.
        case none
        /// As these variables say: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`. Loopback is always direct.
        case environment([String: String])

        /// As this process's environment says at the moment of the call.
        public static var processEnvironment: Proxy { .environment(ProcessInfo.processInfo.environment) }
    }

    /// Whom to trust, and the client's own certificate.
    public var tls: TLSClientConfiguration
    public var timeouts: Timeouts
    public var proxy: Proxy
    /// Whether `http:` may leave this machine. The token then travels readable for everyone on the way.
    public var allowsPlaintext: Bool
    /// What the client calls itself: a `User-Agent` (RFC 9110 §10.1.5), visible ASCII.
    public var userAgent: String
    /// One of its loops carries all connections of one transport; must outlive the transports.
    public var eventLoopGroup: any EventLoopGroup
    /// The wall clock, to count from when a server names a date to wait for. Any thread.
    public var wallClock: @Sendable () -> Timestamp

    public init(
        tls: TLSClientConfiguration = TLSClientConfiguration(), timeouts: Timeouts = Timeouts(),
        proxy: Proxy = .processEnvironment, allowsPlaintext: Bool = false, userAgent: String = "causeway/0.1",
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        wallClock: @escaping @Sendable () -> Timestamp = { .system }
    ) {
        self.tls = tls
        self.timeouts = timeouts
        self.proxy = proxy
        self.allowsPlaintext = allowsPlaintext
        self.userAgent = userAgent
        self.eventLoopGroup = eventLoopGroup
        self.wallClock = wallClock
    }
}

extension Timestamp {
    /// The system's wall clock; this transport is an edge and may read it.
    @usableFromInline static var system: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
