import CausewayControl

/// The end of a list that has more.
enum ListEnd {
    static func lines(_ form: MessageListForm) -> [String] {
        form.next.map { ["… and more: --after \($0), or a larger --limit"] } ?? []
    }
}
