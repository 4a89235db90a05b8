/// The rights of a request, and the secrets that prove them.
struct PageSession: Sendable, Hashable {
    /// The CSRF secret, contained in every form of this session and nowhere else.
    let csrfToken: String
    /// True when there is a login that can be ended.
    let isLogin: Bool
    /// Whether the session may resend and delete; otherwise it is read-only.
    let mayChange: Bool
    /// The key in the paths of a login's pages; `nil` without one.
    let key: String?
}
