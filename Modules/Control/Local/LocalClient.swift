import Causeway
import Foundation

/// The store, the engine and the control service of this process.
package struct LocalClient: Sendable {
    package let service: ClientControlService
    private let client: CausewayClient

    /// Opens the store and goes on with its session.
    ///
    /// - Parameters:
    ///   - isDaemon: whether it stays.
    ///   - storeWait: how long a store is waited for that another process has.
    package static func open(
        _ settings: Settings, isDaemon: Bool, storeWait: Duration, adapters: LocalAdapters
    ) async throws(ControlError) -> LocalClient {
        let store = try await openStore(settings, storeWait, adapters)
        do throws(ControlError) {
            let trust = try FileTrustKeeper(folder: settings.store)
            let client = try await openClient(
                store, transports: adapters.makeTransports(settings, trust),
                credentials: FileCredentialStore(folder: settings.store), settings.clientConfiguration)
            let process = StatusForm.Process(
                pid: ProcessInfo.processInfo.processIdentifier, version: ProgramVersion.text, store: settings.store,
                isDaemon: isDaemon)
            let service = ClientControlService(client: client, trust: trust, process: process)
            return LocalClient(service: service, client: client)
        } catch {
            await store.close()
            throw error
        }
    }

    private static func openStore(
        _ settings: Settings, _ wait: Duration, _ adapters: LocalAdapters
    ) async throws(ControlError) -> any Store {
        let end = ContinuousClock.now + wait
        while true {
            do throws(StoreError) {
                return try await adapters.openStore(settings.store, settings.durability)
            } catch {
                // A command that opened the store itself lets go of it soon.
                guard case .owned = error, ContinuousClock.now < end else { throw ControlError(error) }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func openClient(
        _ store: any Store, transports: TransportRegistry, credentials: any CredentialStore,
        _ configuration: ClientConfiguration
    ) async throws(ControlError) -> CausewayClient {
        do throws(ClientError) {
            return try await .open(
                store: store, transports: transports, credentials: credentials, configuration: configuration)
        } catch {
            throw ControlError(error)
        }
    }

    /// Stops the engine and closes the store; what is undelivered stays in it.
    package func close() async { await client.close() }
}
