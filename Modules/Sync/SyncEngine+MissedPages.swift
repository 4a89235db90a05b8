import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
import CausewayTransport

/// Recovery from pages that could not be read or stored.
extension SyncEngine {
    /// Plans to recover from a page that could not be requested. The outbox, which may have nothing to send, does not
    /// know that the server could not be reached: it is probed after a while, and callers that need pages are notified
    /// when it responds. Requests that the server refused are repeated only by this engine, and rarely.
    func missedPage(_ error: TransportError) {
        if isClosed { return }
        switch error {
        case .refused:
            guard !isRefusedPageDue else { return }
            isRefusedPageDue = true
            runtime.spawn { [runtime, weak self] in
                await runtime.sleep(until: runtime.now + SyncLimits.refusedPageInterval)
                await self?.retryRefusedPages()
            }
            return
        case .unreachable: hasLostServer = true
        default: break
        }
        hasMissedPage = true
        planPageProbe()
    }

    private func planPageProbe() {
        guard !isPageProbePlanned else { return }
        isPageProbePlanned = true
        runtime.spawn { [runtime, weak self] in
            await runtime.sleep(until: runtime.now + SyncLimits.missedPageProbeInterval)
            await self?.probeForMissedPage()
        }
    }

    /// Plans to recover from a page that could not be stored.
    func missedPage(_ error: StoreError) { missedPage(.notSent(code: "notStored", detail: error.description)) }

    private func retryRefusedPages() {
        isRefusedPageDue = false
        if !isClosed, session != nil { tell(.pagesDue) }
    }

    /// A server that cannot be reached is probed anyway.
    private func probeForMissedPage() {
        isPageProbePlanned = false
        if hasMissedPage, outbox.isReached { submit(.event(.probeRequested)) }
    }

    /// Plans another probe as long as pages are missing: the last one may have failed, and the server may have been
    /// reached by a delivery. Called after every input.
    func adaptPageProbe() {
        if hasMissedPage, !isClosed, outbox.isServerReady { planPageProbe() }
    }

    /// Notifies callers after the server was reached: those that missed a page, or all of them if the connection had
    /// been lost.
    func tellOfReachedServer() {
        let wasLost = hasLostServer || !outbox.isReached
        let hadMissedPage = hasMissedPage
        forgetMissedPages()
        if wasLost { tell(.reachable) } else if hadMissedPage { tell(.pagesDue) }
    }

    func forgetMissedPages() {
        hasMissedPage = false
        hasLostServer = false
    }
}
