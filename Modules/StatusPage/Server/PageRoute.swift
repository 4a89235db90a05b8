import HTTPTypes

/// The paths of the page, exactly as they must be written, and the methods of each.
enum PageRoute: Hashable, CaseIterable {
    case overview, outbox, failed, deleteActions, deleteActionsCSV, messages, message, confirm
    case actions, login, logout, events, health
    case apiOverview, apiOutbox, apiFailed, apiDeleteActions, apiMessages, apiMessage
    case sheet, script, icon

    /// The segments of the path; `nil` matches any.
    var pattern: [String?] {
        switch self {
        case .overview: []
        case .outbox: ["outbox"]
        case .failed: ["failed"]
        case .deleteActions: ["delete-actions"]
        case .deleteActionsCSV: ["delete-actions.csv"]
        case .messages: ["messages"]
        case .message: ["messages", nil]
        case .confirm: ["confirm"]
        case .actions: ["actions"]
        case .login: ["login"]
        case .logout: ["logout"]
        case .events: ["events"]
        case .health: ["healthz"]
        case .apiOverview: ["api", "overview"]
        case .apiOutbox: ["api", "outbox"]
        case .apiFailed: ["api", "failed"]
        case .apiDeleteActions: ["api", "delete-actions"]
        case .apiMessages: ["api", "messages"]
        case .apiMessage: ["api", "messages", nil]
        case .sheet: ["assets", "page.css"]
        case .script: ["assets", "page.js"]
        case .icon: ["assets", "icon.svg"]
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .actions, .logout: [.post]
        case .login: [.get, .head, .post]
        default: [.get, .head]
        }
    }

    /// True for routes that respond in JSON, also when they refuse.
    var isJSON: Bool {
        switch self {
        case .health, .apiOverview, .apiOutbox, .apiFailed, .apiDeleteActions, .apiMessages, .apiMessage: true
        default: false
        }
    }

    /// True for routes that need no login, only the right host.
    var isPublic: Bool {
        switch self {
        case .login, .health, .sheet, .script, .icon: true
        default: false
        }
    }

    /// Returns the route of a path; `nil` when there is none. Only the canonical spelling matches.
    static func find(_ path: String) -> PageRoute? {
        guard path.hasPrefix("/") else { return nil }
        let segments = path == "/" ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return allCases.first { route in
            let pattern = route.pattern
            return pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { wanted, found in
                    wanted.map { $0[...] == found } ?? isPlain(found)
                }
        }
    }

    private static func isPlain(_ segment: Substring) -> Bool {
        segment.utf8.count == 36 && segment.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isHexDigit($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}
