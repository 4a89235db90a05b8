package import Causeway

extension ClientConfiguration {
    /// The documented rules in a fraction of the time. Without arguments nothing waits for longer than a moment, for
    /// tests that do not depend on time.
    package static func forTests(
        settlingTime: Duration = .zero, retryInterval: Duration = .milliseconds(1),
        probeInterval: Duration = .milliseconds(20), probeIntervalMax: Duration = .milliseconds(20)
    ) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.outbox.settlingTime = settlingTime
        configuration.outbox.retry = RetryPolicy(
            interval: retryInterval, retriesMax: RetryPolicy.documented.retriesMax, jitterPercent: 0)
        configuration.outbox.probeInterval = probeInterval
        configuration.outbox.probeIntervalMax = probeIntervalMax
        configuration.outbox.recoveryProbeInterval = probeInterval
        return configuration
    }
}
