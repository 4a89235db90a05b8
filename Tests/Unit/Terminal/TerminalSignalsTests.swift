import CausewayTerminal
import Dispatch
import Foundation
import Testing

/// Signals belong to the process: the test uses one that has no effect unless it is caught.
@Suite struct TerminalSignalsTests {
    private enum Action: Int { case standard, ignored, caught }

    private var action: Action {
        var action = sigaction()
        unsafe sigaction(SIGURG, nil, &action)
        return Action(rawValue: unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)) ?? .caught
    }

    @Test(.timeLimit(.minutes(10))) func afterwardsASignalDoesWhatItDidBefore() async {
        let queue = DispatchQueue(label: "test")
        #expect(action == .standard)
        let (calls, call) = AsyncStream.makeStream(of: Int32.self)
        do {
            let signals = TerminalSignals([SIGURG], on: queue) { call.yield($0) }
            // Caught as soon as the object exists.
            kill(getpid(), SIGURG)
            for await number in calls {
                #expect(number == SIGURG)
                break
            }
            withExtendedLifetime(signals) {}
        }
        while action != .standard, !Task.isCancelled { await Task.yield() }
        signal(SIGURG, SIG_IGN)
        do { _ = TerminalSignals([SIGURG], on: queue) { _ in } }
        while action != .ignored, !Task.isCancelled { await Task.yield() }
        signal(SIGURG, SIG_DFL)
    }
}
