/// What happens to a screen from outside.
public enum TerminalEvent: Sendable, Hashable {
    case key(TerminalKey)
    /// It has another size, or was somebody else's meanwhile: everything is to be drawn again.
    case redraw
    /// The program is asked to end, by this signal. The terminal has been given back already.
    case ended(signal: Int32)
}
