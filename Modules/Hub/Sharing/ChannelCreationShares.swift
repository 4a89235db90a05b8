internal import CausewayHTTPServer
internal import Synchronization

/// New channels, bounded for each address: an address with many accounts fills the hub no faster than one with few.
final class ChannelCreationShares: Sendable {
    private let limiter: Mutex<AttemptLimiter>

    init(_ configuration: HubConfiguration) {
        limiter = Mutex(
            AttemptLimiter(
                burst: configuration.newChannelsPerPeerMax, refill: configuration.newChannelRefill,
                peersMax: HubLimits.peersTrackedMax))
    }

    /// How long an address must wait before it may create one more, in seconds; `nil` while it may.
    func wait(of peer: String) -> Int64? { limiter.withLock { $0.wait(of: peer, at: SystemClock.monotonic()) } }

    func recordNew(of peer: String) {
        _ = limiter.withLock { $0.recordFailure(of: peer, at: SystemClock.monotonic()) }
    }
}
