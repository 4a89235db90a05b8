import CausewayControl

/// How a list ends that has more.
enum ListEnd {
    static func lines(_ form: MessageListForm) -> [String] {
        form.next.map { ["… and more: --after \($0), or a larger --limit"] } ?? []
    }
}
