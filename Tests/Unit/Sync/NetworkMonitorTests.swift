import CausewayRuntime
import CausewaySystem
import Synchronization
import Testing

@Suite struct NetworkMonitorTests {
    @Test func aChangeBeforeTheEventsBeginIsNotMissed() async {
        let path = Mutex(NetworkPath())
        let statuses = SystemNetworkMonitor.statuses(
            of: { path.withLock { $0 } },
            events: { _ in
                path.withLock { $0 = NetworkPath(addresses: ["eth0 192.0.2.7"]) }
                return nil
            })
        var reader = statuses.makeAsyncIterator()
        #expect(await reader.next() == .available(path: 1, keptAddresses: true))
    }
}
