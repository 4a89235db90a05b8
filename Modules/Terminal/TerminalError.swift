/// The reason why there is no screen.
public enum TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Standard output is not a terminal.
    case notATerminal
    /// The terminal cannot be configured.
    case refused(errno: Int32)

    public var description: String {
        switch self {
        case .notATerminal: "standard output is not a terminal"
        case .refused(let errno): "the terminal cannot be set up (error \(errno))"
        }
    }
}
