import CausewayModels

/// The outbox's view of the connection to the server.
///
/// ```
///  unknown ──authenticated──▶ online ◀──time── settling ◀─┐
///     │                         │                  │      │ authenticated, or a server that is known
///     └─────probe failed─────▶ offline ◀───────────┴──────┘ failed to process the probe
///                                ▲ └─ probe at `nextProbe`, then twice as late, …
///                                └─── a batch could not connect, or was cut off
/// ```
struct ConnectionState: Sendable, Hashable {
    enum State: Sendable, Hashable {
        case unknown
        case offline(detail: String, since: Timestamp)
        case settling(until: MonotonicTime)
        case online(since: MonotonicTime)
    }

    /// A probe that something other than the connection's own schedule depends on.
    enum RequestedProbe: Sendable, Hashable {
        /// The probe under way, or the next one.
        case next
        /// Another one follows the probe under way: that one may have been answered before the request.
        case afterPresent
    }

    var state: State = .unknown
    /// True once a probe has succeeded, in this run of the process, or in one that has stored the server's history.
    /// Before that nothing is sent: a delivery names the history that it is meant for, so that it is part of no other.
    var isServerKnown = false
    var isProbing = false
    /// The probe that has been requested and has not succeeded yet.
    var requested: RequestedProbe?
    /// The time of the next probe; `nil` while none is planned.
    var nextProbe: MonotonicTime?
    var lastProbe: MonotonicTime?
    /// The time of the last response of the server; recorded only if an idle client probes.
    var lastHeard: MonotonicTime?
    /// Consecutive failed probes; survives a short recovery, so that flapping does not reset it.
    var failures = 0

    var isOnline: Bool {
        if case .online = state { true } else { false }
    }
}
