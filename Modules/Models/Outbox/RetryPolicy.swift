/// The number and spacing of attempts to deliver one message.
///
/// A *transient* failure uses up a retry, as does a request without a response; being offline, a rate limit or a
/// refused token do not.
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// The pause after a failed attempt.
    public var interval: Duration
    /// The number of attempts that may follow the first.
    public var retriesMax: Int
    /// The factor applied to the pause after each further failure of the same message.
    public var backoffFactor: Int
    /// The longest pause.
    public var intervalMax: Duration
    /// The maximum random extension of a pause, in hundredths of it, so that clients do not retry simultaneously.
    public var jitterPercent: Int

    /// - Precondition: `interval`, `retriesMax` and `jitterPercent` are not negative, and `backoffFactor` is at least
    ///   1.
    public init(
        interval: Duration, retriesMax: Int, backoffFactor: Int = 1, intervalMax: Duration = .seconds(300),
        jitterPercent: Int = 10
    ) {
        precondition(interval >= .zero && retriesMax >= 0 && backoffFactor >= 1 && jitterPercent >= 0)
        self.interval = interval
        self.retriesMax = retriesMax
        self.backoffFactor = backoffFactor
        self.intervalMax = intervalMax
        self.jitterPercent = jitterPercent
    }

    /// About 5 s, at most 3 times after the first: the documented behaviour.
    public static let documented = RetryPolicy(interval: .seconds(5), retriesMax: 3)
    /// From 5 s up to 5 min, a day and a half in all: for unattended devices.
    public static let patient = RetryPolicy(interval: .seconds(5), retriesMax: 440, backoffFactor: 2)

    /// A policy by its name.
    public enum Preset: String, Sendable, Hashable, Codable, CaseIterable {
        /// ``RetryPolicy/documented``.
        case documented
        /// ``RetryPolicy/patient``.
        case patient

        /// The policy that the name stands for.
        public var policy: RetryPolicy {
            switch self {
            case .documented: .documented
            case .patient: .patient
            }
        }
    }

    /// The pause after the given number of failed attempts, without jitter.
    public func pause(afterAttempts attempts: Int) -> Duration {
        var pause = interval
        for _ in 1..<max(2, min(attempts, 64)) where backoffFactor > 1 && attempts > 1 {
            if pause >= intervalMax { break }
            pause *= backoffFactor
        }
        return min(pause, max(interval, intervalMax))
    }
}
