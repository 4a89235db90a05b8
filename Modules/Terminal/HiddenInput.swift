import CausewaySystem
import Dispatch

/// Input that is typed without being shown, such as a password.
package enum HiddenInput {
    private static let ending = [
        ProcessSignal.interrupt, ProcessSignal.terminate, ProcessSignal.hangUp, ProcessSignal.quit,
    ]

    /// Reads a line of standard input while its terminal shows nothing of what is typed; `nil` at the end of the input.
    ///
    /// A signal that ends this process restores the terminal first, as the next program would not show what is typed
    /// either. A process that is stopped lends the terminal, and hides the input again when it is resumed.
    package static func line() -> String? {
        let descriptor = InputHandle.standardInput.descriptor
        guard let shown = try? TerminalSettings(of: descriptor) else { return readLine() }
        let hidden = shown.silent
        let others = [ProcessSignal.terminalStop, ProcessSignal.resume]
        // Before anything is changed, as on the screen.
        let signals = TerminalSignals(Self.ending + others, on: DispatchQueue(label: "causeway.input")) { signal in
            try? (signal == ProcessSignal.resume ? hidden : shown).apply(to: descriptor)
            if signal == ProcessSignal.terminalStop { ProcessSignal.stopThisProcess() }
            if Self.ending.contains(signal) { ProcessEnd.bySignal(signal) }
        }
        try? hidden.apply(to: descriptor)
        defer {
            try? shown.apply(to: descriptor)
            withExtendedLifetime(signals) {}
        }
        return readLine()
    }
}
