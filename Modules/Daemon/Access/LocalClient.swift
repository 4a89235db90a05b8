package import Causeway
package import CausewayConfiguration
package import CausewayControlAPI
package import CausewayControlServer
import CausewayStorage
import CausewaySystem
import Foundation

/// The store, the engine and the control service of this process.
package struct LocalClient: Sendable {
    package let service: ClientControlService
    private let client: CausewayClient
    private let subscription: StoreSubscription?
    /// The unfinished write that was cut off the store when it was opened.
    let tornTail: TornTail?

    /// Opens the store and resumes its session.
    ///
    /// - Parameters:
    ///   - isDaemon: whether the process is the daemon.
    ///   - storeWait: how long to wait for a store that another process holds.
    ///   - onWait: called at most once, with the reason, as soon as the store has to be waited for.
    ///   - onCommit: called for every commit of the run, including the first, on the committing thread.
    package static func open(
        _ settings: Settings, isDaemon: Bool, storeWait: Duration, adapters: AdapterFactory,
        onWait: (ControlError) -> Void = { _ in }, onCommit: (@Sendable (StoreCommit) -> Void)? = nil
    ) async throws(ControlError) -> LocalClient {
        if let problem = FileAccess.problem(ofFolder: settings.store) {
            throw ControlError(.storeNotAccessible, "the folder \(settings.store) of the store \(problem)")
        }
        let store = try await openStore(settings, storeWait, adapters, onWait)
        let subscription = onCommit.map { store.subscribe($0) }
        do throws(ControlError) {
            let trust = try FileTrustStore(folder: settings.store)
            let client = try await openClient(
                store, transports: adapters.makeTransports(settings, trust),
                credentials: FileCredentialStore(folder: settings.store), settings.clientConfiguration)
            // Completes the work that the start left, before the first status request.
            try await settle(client)
            let process = StatusResponse.Process(
                pid: ProcessInfo.processInfo.processIdentifier, version: ProgramVersion.text, store: settings.store,
                isDaemon: isDaemon)
            let service = ClientControlService(
                client: client, trust: trust, process: process, store: store as? any StoreUpkeep)
            return LocalClient(
                service: service, client: client, subscription: subscription,
                tornTail: (store as? any StoreUpkeep)?.tornTail)
        } catch {
            subscription?.cancel()
            // A client that was opened has closed it already.
            await store.close()
            throw error
        }
    }

    private static func openStore(
        _ settings: Settings, _ wait: Duration, _ adapters: AdapterFactory, _ onWait: (ControlError) -> Void
    ) async throws(ControlError) -> any Store {
        let end = ContinuousClock.now + wait
        var isTold = false
        while true {
            do throws(StoreError) {
                return try await adapters.openStore(settings)
            } catch {
                // A command that opened the store itself releases it soon.
                guard case .locked = error, ContinuousClock.now < end else { throw ControlError(error) }
                if !isTold { onWait(ControlError(error)) }
                isTold = true
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

    /// The engine handles requests in turn: after one that changes nothing, the session has been started. If that
    /// fails, the client is closed.
    private static func settle(_ client: CausewayClient) async throws(ControlError) {
        do throws(ClientError) {
            try await client.resume()
        } catch {
            await client.close()
            throw ControlError(error)
        }
    }

    /// The status of the engine, and each change of it.
    var statusChanges: StatusChanges { client.liveStatus() }

    /// The notices of this process, one text each.
    func notices() async -> [String] {
        do throws(ClientError) {
            return try await client.status().notices.map { "\($0.detail), at \($0.at)" }
        } catch {
            return []
        }
    }

    /// Stops the engine and closes the store; undelivered messages remain in it.
    package func close() async {
        await client.close()
        subscription?.cancel()
    }
}

extension Settings.Durability {
    /// The guarantee that the setting names.
    package var guarantee: Durability {
        switch self {
        case .full: .full
        case .normal: .normal
        }
    }
}

/// The store and the transports of a program; chosen by the program, not by this module.
package struct AdapterFactory: Sendable {
    package typealias OpenStore =
        @Sendable (_ settings: Settings) async throws(StoreError) -> any Store
    package typealias MakeTransports = @Sendable (_ settings: Settings, _ trust: any TrustStore) -> TransportRegistry

    let openStore: OpenStore
    let makeTransports: MakeTransports

    package init(openStore: @escaping OpenStore, makeTransports: @escaping MakeTransports) {
        self.openStore = openStore
        self.makeTransports = makeTransports
    }
}
