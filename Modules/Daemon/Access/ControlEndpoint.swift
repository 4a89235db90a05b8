import Causeway
package import CausewayConfiguration
package import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer

/// The access of a command to the store: through the daemon, or by opening the store itself when no daemon runs.
package struct ControlEndpoint: Sendable {
    private enum Way: Sendable {
        case daemon(ControlClient)
        case local(LocalClient)
    }

    private let way: Way

    /// Connects to the daemon's socket, and opens the store when nothing listens there.
    ///
    /// Without a daemon the restart policy is always `resume`: a short-lived command must not fail messages that
    /// another one queued. A store that another process holds is waited for briefly: the holder may be another command,
    /// or a daemon that does not listen yet.
    ///
    /// - Parameter onWait: called at most once, with the reason, as soon as the store has to be waited for.
    package static func find(
        _ settings: Settings, adapters: AdapterFactory, onWait: (ControlError) -> Void = { _ in }
    ) async throws(ControlError) -> ControlEndpoint {
        var settings = settings
        settings.restart = .resume
        let place = ControlSocketPath(path: settings.socket)
        let end = ContinuousClock.now + .seconds(DaemonLimits.storeWaitSecondsOfCommand)
        var isTold = false
        while true {
            if place.isListening {
                return ControlEndpoint(way: .daemon(try ControlClient(socketPath: settings.socket)))
            }
            do throws(ControlError) {
                let local = try await LocalClient.open(settings, isDaemon: false, storeWait: .zero, adapters: adapters)
                return ControlEndpoint(way: .local(local))
            } catch {
                guard error.code == .storeOwned else { throw error }
                guard ContinuousClock.now < end else {
                    throw ControlError(.storeOwned, "\(error.detail); no daemon listens at \(settings.socket)")
                }
                if !isTold { onWait(error) }
                isTold = true
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    package var service: any ControlService {
        switch way {
        case .daemon(let client): client
        case .local(let local): local.service
        }
    }

    /// True when a daemon keeps running after this program has ended.
    package var isDaemon: Bool {
        switch way {
        case .daemon: true
        case .local: false
        }
    }

    /// The events of this process that concern the store or the server's data, one text for each: the user learns of
    /// them here or never. Empty with a daemon, which logs and shows its notices itself.
    package func notices() async -> [String] {
        switch way {
        case .daemon: []
        case .local(let local): await local.notices()
        }
    }

    package func close() async {
        switch way {
        case .daemon(let client): await client.close()
        case .local(let local): await local.close()
        }
    }
}
