package import Causeway
package import CausewayConfiguration

extension Settings {
    /// The programs' ``OutboxConfiguration/idleProbeInterval``: with nothing to send for weeks, they detect within this
    /// time that their token was refused or that the server lost data.
    static let idleProbeInterval = Duration.seconds(300)

    /// The client configuration of these settings.
    package var clientConfiguration: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.ordering = ordering
        configuration.restart = restart
        configuration.outbox.headFailure = headFailure
        configuration.outbox.expiry = expiry
        configuration.outbox.retry = retry.policy
        configuration.outbox.retry.interval = retryInterval
        configuration.outbox.retry.retriesMax = retryCount
        configuration.outbox.settlingTime = settlingTime
        configuration.outbox.uploadsMax = uploads
        configuration.retention = retention
        configuration.followsEvents = events == .follow
        configuration.outbox.idleProbeInterval = Self.idleProbeInterval
        return configuration
    }
}
