/// The rights of a request, and the secrets that prove them.
struct PageSession: Sendable, Hashable {
    /// Stands in every form of this session and nowhere else.
    let formSecret: String
    /// True when there is a login that can be ended.
    let isLogin: Bool
    /// Whether it may resend and delete; otherwise it may only look.
    let mayChange: Bool
    /// The beginning of the addresses of a login's pages; `nil` without one.
    let key: String?
}
