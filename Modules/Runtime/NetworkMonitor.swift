package import CausewaySystem

/// The state of this machine's network, as far as the system knows it. Whether a server can be reached is another
/// question, which only a request answers.
public enum NetworkStatus: Sendable, Hashable {
    /// No interface except loopback is up with an address.
    case unavailable
    /// - Parameters:
    ///   - path: differs whenever an address or a default route has changed; otherwise without meaning.
    ///   - keptAddresses: true if every address of the last available network is still there, so that established
    ///     connections may go on.
    case available(path: Int, keptAddresses: Bool)
}

/// Reports changes of the machine's network connection, so that a client need not wait for a time-out to notice that an
/// interface went away, nor for its next probe to notice that one came up.
///
/// The client works without one, or with one that misses changes: a report only makes it look sooner.
public protocol NetworkMonitor: Sendable {
    /// The status at present, then each one that differs from the one before. A slow reader gets the newest one only.
    /// Ends when the reading task is cancelled.
    func statuses() -> AsyncStream<NetworkStatus>
}

/// The system's own reports: netlink on Linux, `NWPathMonitor` on Apple platforms.
public struct SystemNetworkMonitor: NetworkMonitor {
    /// Creates a monitor; the system is not asked before ``statuses()`` is called.
    public init() {}

    public func statuses() -> AsyncStream<NetworkStatus> {
        Self.statuses(of: NetworkPath.current) { NetworkEvents(onChange: $0) }
    }

    /// The statuses of a path that is read when events report a change.
    ///
    /// - Parameter events: begins to report; until then no change is noticed.
    package static func statuses(
        of path: @escaping @Sendable () -> NetworkPath,
        events: (_ onChange: @escaping @Sendable () -> Void) -> NetworkEvents?
    ) -> AsyncStream<NetworkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkStatus.self, bufferingPolicy: .bufferingNewest(1))
        let reader = PathReader(continuation, path)
        let events = events { reader.read() }
        // After that, so that no change is between them.
        reader.read()
        continuation.onTermination = { _ in events?.cancel() }
        return stream
    }
}
