/// What a request may do: the secret that its forms must carry, and whether somebody logged in for it.
struct PageSession: Sendable, Hashable {
    /// Stands in every form of this session and nowhere else.
    let formSecret: String
    /// True when there is a login that can be ended.
    let isLogin: Bool
}
