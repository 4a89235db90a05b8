import CausewayModels

/// What the outbox knows of the way to the server.
///
/// ```
///  unknown ──greeted──▶ online ◀──time── settling ◀─┐
///     │                   │                  │      │ greeted
///     └──probe failed──▶ offline ◀───────────┴──────┘
///                          ▲ └─ probe at `nextProbe`, then twice as late, …
///                          └─── a round could not connect, or was cut off
/// ```
struct OutboxLink: Sendable, Hashable {
    enum State: Sendable, Hashable {
        case unknown
        case offline(detail: String, since: Timestamp)
        case settling(until: MonotonicTime)
        case online(since: MonotonicTime)
    }

    var state: State = .unknown
    var isProbing = false
    /// When the next probe begins; `nil` while none is planned.
    var nextProbe: MonotonicTime?
    var lastProbe: MonotonicTime?
    /// Probes that failed in a row; survives a short return, so that flapping does not reset it.
    var failures = 0

    var isOnline: Bool {
        if case .online = state { true } else { false }
    }
}
