import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayTransport

/// Changes of the machine's network. They only make the engine look sooner: the server's responses decide whether it
/// can be reached.
extension SyncEngine {
    /// A change of the status. Servers on this machine are not affected.
    func networkReported(_ status: NetworkStatus) {
        let before = networkStatus
        networkStatus = status
        // The first report describes the network in which the engine began.
        guard before != nil, status != before, transport?.capabilities.isLocal != true else { return }
        switch status {
        case .available(_, let keptAddresses):
            networkChanged(endsCalls: !keptAddresses)
        case .unavailable:
            runtime.spawn { [weak self, runtime] in
                await runtime.sleep(until: runtime.now + SyncLimits.networkLossDelay)
                await self?.networkIsStill(status)
            }
        }
    }

    /// - Parameter endsCalls: whether calls under way wait on connections from an address that is gone. They are broken
    ///   off, which uses up no attempt.
    private func networkChanged(endsCalls: Bool) {
        submit(
            .work { engine in
                guard !engine.isClosed else { return }
                if endsCalls { await engine.breakOffCalls() }
                if endsCalls || engine.follower.isBackingOff { engine.breakOffEvents() }
                engine.transport?.networkChanged()
                await engine.perform(engine.outbox.handle(.networkChanged, at: engine.clock))
            })
    }

    private func networkIsStill(_ status: NetworkStatus) {
        guard networkStatus == status else { return }
        submit(
            .work { engine in
                guard !engine.isClosed, engine.networkStatus == status else { return }
                await engine.breakOffCalls()
                await engine.perform(engine.outbox.handle(.networkLost, at: engine.clock))
            })
    }

    private func breakOffCalls() async {
        // Results of the probe under way are obsolete.
        probeNumber += 1
        await endCalls()
    }
}
