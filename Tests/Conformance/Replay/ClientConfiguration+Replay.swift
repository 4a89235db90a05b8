import Causeway
import CausewayModels

extension ClientConfiguration {
    /// The documented rules in a fraction of the time: the same for every world.
    static var replay: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.outbox.retry = RetryPolicy(interval: .milliseconds(30), retriesMax: 3, jitterPercent: 0)
        configuration.outbox.settlingTime = .milliseconds(10)
        configuration.outbox.probeInterval = .milliseconds(20)
        configuration.outbox.probeIntervalMax = .milliseconds(100)
        configuration.outbox.rateLimitWaitMin = .milliseconds(20)
        return configuration
    }
}
