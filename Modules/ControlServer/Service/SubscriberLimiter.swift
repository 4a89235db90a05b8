import Synchronization

/// Limits how many callers follow messages at the same time.
final class SubscriberLimiter: Sendable {
    private let taken = Mutex(0)

    /// Holds a slot for as long as `body` runs.
    ///
    /// Throws ``ControlError/Code/busy`` when all slots are in use.
    func hold<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        let isFree = taken.withLock { taken in
            guard taken < ControlLimits.followersMax else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw ControlError(
                .busy, "too many followers (at most \(ControlLimits.followersMax)); end one of them, or try again later"
            )
        }
        defer { taken.withLock { $0 -= 1 } }
        return try await body()
    }
}
