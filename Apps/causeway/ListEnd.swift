import CausewayControlAPI

/// The end of a list that has more.
enum ListEnd {
    static func lines(_ response: MessageListResponse) -> [String] {
        response.next.map { ["… and more: --after \($0), or a larger --limit"] } ?? []
    }
}
