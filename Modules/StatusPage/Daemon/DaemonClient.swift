package import CausewayControlAPI
import CausewayControlClient

/// The page's connections to the daemon: one for reads, which times out soon, and one for changes, which is patient.
package struct DaemonClient: Sendable {
    let reading: any ControlService
    let changing: any ControlService

    package init(reading: any ControlService, changing: any ControlService) {
        self.reading = reading
        self.changing = changing
    }

    /// Returns a desk over the socket of a daemon; connects with the first request.
    ///
    /// Throws ``ControlError/Code/configuration`` when the path cannot be that of a socket.
    package static func socket(_ path: String) throws(ControlError) -> (
        daemon: DaemonClient, close: @Sendable () async -> Void
    ) {
        let reading = try ControlClient(
            socketPath: path, responseTime: .seconds(StatusPageLimits.daemonSecondsMax),
            connectionsMax: StatusPageLimits.daemonConnectionsMax)
        let changing = try ControlClient(
            socketPath: path, responseTime: .seconds(StatusPageLimits.actionSecondsMax))
        return (
            DaemonClient(reading: reading, changing: changing),
            {
                await reading.close()
                await changing.close()
            }
        )
    }
}
