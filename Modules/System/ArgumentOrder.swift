/// The order of a command line: options that stand before the command are put behind it, where the parser knows them.
///
/// `causeway --socket /run/s status` becomes `causeway status --socket /run/s`. An option behind the command counts
/// before one that stands in front of it.
package struct ArgumentOrder: Sendable {
    private let flags: Set<String>
    private let options: Set<String>
    private let groups: Set<String>

    /// - Parameters:
    ///   - flags: what has no value: `--json`.
    ///   - options: what has one: `--socket`.
    ///   - groups: commands that are followed by another one: `account`.
    package init(flags: [String] = [], options: [String], groups: [String] = []) {
        self.flags = Set(flags)
        self.options = Set(options)
        self.groups = Set(groups)
    }

    /// The arguments in the parser's order; as they are when something unknown stands before the command.
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
        let command = arguments[start]
        if command == "help" { return Array(arguments[start...]) }
        let end = min(arguments.count, start + (groups.contains(command) ? 2 : 1))
        return Array(arguments[start..<end] + arguments[..<start] + arguments[end...])
    }
}
