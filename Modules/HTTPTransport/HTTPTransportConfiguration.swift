package import CausewayHTTP
public import CausewayModels
import CausewayRecords
public import CausewayTLS
public import NIOCore
public import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The configuration of connections to `https:` and `http:` servers. The defaults are suitable for a server with a
/// certificate of a known authority.
public struct HTTPTransportConfiguration: Sendable {
    /// The time-outs of the phases of one call.
    public struct Timeouts: Sendable, Hashable {
        /// From the start of a connection attempt until the connection can carry requests: name lookup, TCP, proxy and
        /// TLS together.
        public var connect: Duration
        /// From the last byte of the request to the first of the response.
        public var firstByte: Duration
        /// From the start of the call to its end.
        public var whole: Duration
        /// The time that a request for events waits at the server for something new, in whole seconds, at most 30; the
        /// time-outs of that request are longer by this. Shorter than the idle time-outs of common proxies.
        public var eventWait: Duration

        /// Creates time-outs; `eventWait` is brought into its range.
        public init(
            connect: Duration = .seconds(10), firstByte: Duration = .seconds(30), whole: Duration = .seconds(60),
            eventWait: Duration = .seconds(25)
        ) {
            self.connect = connect
            self.firstByte = firstByte
            self.whole = whole
            self.eventWait = min(max(.zero, eventWait), .seconds(30))
        }
    }

    /// The way to the server through a proxy.
    public enum Proxy: Sendable, Hashable {
        /// Always a direct connection.
        case none
        /// A proxy named by these variables: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`. Connections to
        /// loopback are always direct.
        case environment([String: String])

        /// The environment of this process at the time of the call.
        public static var processEnvironment: Proxy { .environment(ProcessInfo.processInfo.environment) }
    }

    /// The trusted authorities, and the client's own certificate.
    public var tls: TLSClientConfiguration
    /// The longest waits.
    public var timeouts: Timeouts
    /// The proxy, if one is used.
    public var proxy: Proxy
    /// Whether `http:` may leave this machine. The token is then readable by everyone on the path.
    public var allowsPlaintext: Bool
    /// The `User-Agent` of the client (RFC 9110 §10.1.5), visible ASCII.
    public var userAgent: String
    /// One of its loops carries all connections of one transport; must outlive the transports.
    public var eventLoopGroup: any EventLoopGroup
    /// The kinds of records that the server is expected to have besides messages; all that this version knows.
    public var records = Set(RecordKinds.all.map { $0.kind })
    /// The time-outs of uploads and downloads, which do not limit their length.
    package var transferTimeouts = TransferTimeouts()
    /// The rules for `auto:`.
    package var carrierChoice = CarrierChoice()
    /// The wall clock, for a `Retry-After` that contains a date. Called on any thread.
    public var wallClock: @Sendable () -> Timestamp

    /// Creates a configuration: by default the system's authorities, the proxy of the environment, and no plain text
    /// beyond this machine.
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
    /// The system's wall clock; this transport is an edge of the system and may read it.
    @usableFromInline static var system: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
