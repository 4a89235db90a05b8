/// Decides whether requests travel over a socket or over HTTP. Pure: the driver, `AutomaticCarrier`, says what happened
/// and when.
///
/// ```
///             could not be opened, or ended early three times in a row
///  socket ───────────────────────────────────────────────────────────▶ http(until)
///     ▲                                                                   │ the time has come: one probe
///     └───────────────────── the probe was answered ──────────────────────┘
/// ```
///
/// While HTTP is used, a probe travels over a socket beside it from time to time; the wait doubles with each that
/// fails. A socket that was merely opened proves nothing: something on the way may swallow what it carries.
package struct CarrierChoice: Equatable, Sendable {
    /// A moment on a clock that never goes back.
    package typealias Moment = Duration

    package enum Carrier: Hashable, Sendable {
        case socket
        /// - Parameter probes: whether the caller is to try a socket beside the request.
        case http(probes: Bool)
    }

    private enum State: Equatable, Sendable {
        case socket
        case http(until: Moment, isProbing: Bool)
    }

    private var state = State.socket
    private var openedAt: Moment?
    /// Sockets in a row that ended early, or before their first response.
    private var quickEnds = 0
    private var retry: Duration

    /// The shortest time over HTTP.
    private let retryMin: Duration
    /// A socket that ends sooner has ended early.
    private let lifeMin: Duration
    private static let retryMax = Duration.seconds(HTTPTransportLimits.socketRetrySecondsMax)

    /// The reason why HTTP is used; `nil` while the socket is.
    package private(set) var reason: String?

    package init(
        retryMin: Duration = .seconds(HTTPTransportLimits.socketRetrySecondsMin),
        lifeMin: Duration = .seconds(HTTPTransportLimits.socketLifeSecondsMin)
    ) {
        (retry, self.retryMin, self.lifeMin) = (retryMin, retryMin, lifeMin)
    }

    package mutating func choose(at now: Moment) -> Carrier {
        guard case .http(let until, let isProbing) = state else { return .socket }
        guard now >= until, !isProbing else { return .http(probes: false) }
        state = .http(until: until, isProbing: true)
        return .http(probes: true)
    }

    package mutating func opened(at now: Moment) { openedAt = now }

    /// A probe has its response.
    package mutating func probeSucceeded() {
        guard case .http(_, isProbing: true) = state else { return }
        state = .socket
        reason = nil
    }

    /// There is no socket although something is there. Several requests may find out at the same time.
    package mutating func refused(_ reason: String, at now: Moment) { useHTTP(reason, at: now) }

    /// A probe did not find out.
    package mutating func probeFailed(at now: Moment) {
        guard case .http(_, true) = state, let reason else { return }
        useHTTP(reason, at: now)
    }

    /// An open socket ended by itself.
    ///
    /// - Parameter hasServed: whether a request had its response there.
    package mutating func lost(at now: Moment, hasServed: Bool) {
        guard let openedAt else { return }
        self.openedAt = nil
        guard now - openedAt < lifeMin || !hasServed else {
            quickEnds = 0
            retry = retryMin
            return
        }
        quickEnds += 1
        guard quickEnds >= HTTPTransportLimits.quickEndsMax else { return }
        useHTTP("the WebSocket ended early \(quickEnds) times in a row", at: now)
    }

    private mutating func useHTTP(_ reason: String, at now: Moment) {
        if case .http(_, isProbing: false) = state { return }
        self.reason = reason
        // After the return a single early end is enough.
        quickEnds = min(quickEnds, HTTPTransportLimits.quickEndsMax - 1)
        state = .http(until: now + retry, isProbing: false)
        retry = min(retry * 2, Self.retryMax)
    }
}
