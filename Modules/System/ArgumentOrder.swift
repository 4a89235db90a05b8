/// Reorders a command line: options before the command are moved after it, where the parser recognises them.
///
/// `causeway --socket /run/s status` becomes `causeway status --socket /run/s`. An option after the command takes
/// precedence over one before it.
package struct ArgumentOrder: Sendable {
    private let flags: Set<String>
    private let options: Set<String>
    private let groups: Set<String>

    /// - Parameters:
    ///   - flags: options without a value: `--json`.
    ///   - options: options with a value: `--socket`.
    ///   - groups: commands that are followed by another one, which may be a group again: `channel`, `member`.
    package init(flags: [String] = [], options: [String], groups: [String] = []) {
        self.flags = Set(flags)
        self.options = Set(options)
        self.groups = Set(groups)
    }

    /// The arguments in the parser's order; unchanged if there is an unknown argument before the command.
    package func arranged(_ arguments: [String]) -> [String] {
        var start = 0
        while start < arguments.count, arguments[start].hasPrefix("-") {
            let argument = arguments[start]
            if flags.contains(argument) {
                start += 1
            } else if options.contains(argument) {
                start += 2
            } else if let end = argument.firstIndex(of: "="), options.contains(String(argument[..<end])) {
                start += 1
            } else {
                return arguments
            }
        }
        guard start > 0, start < arguments.count else { return arguments }
        if arguments[start] == "help" { return Array(arguments[start...]) }
        var end = start
        while end < arguments.count, groups.contains(arguments[end]) { end += 1 }
        end = min(arguments.count, end + 1)
        return Array(arguments[start..<end] + arguments[..<start] + arguments[end...])
    }
}
