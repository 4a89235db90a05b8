/// What was just done, to be said once.
struct PageNotice: Sendable, Hashable {
    enum Kind: String, Sendable { case good, busy, bad }

    let kind: Kind
    let text: String
}
