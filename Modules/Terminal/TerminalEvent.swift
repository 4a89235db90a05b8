/// An event from outside the program's screen.
public enum TerminalEvent: Sendable, Hashable {
    /// The user pressed a key.
    case key(TerminalKey)
    /// The size changed, or another program used the terminal meanwhile: everything must be drawn again.
    case redraw
    /// The program should end because of this signal. The terminal has already been restored.
    case ended(signal: Int32)
}
