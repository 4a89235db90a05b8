/// The result of an action, shown once.
struct FlashMessage: Sendable, Hashable {
    enum Kind: String, Sendable { case good, busy, bad }

    let kind: Kind
    let text: String
}
