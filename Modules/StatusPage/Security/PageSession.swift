/// What a request may do, and what it must know for that.
struct PageSession: Sendable, Hashable {
    /// Stands in every form of this session and nowhere else.
    let formSecret: String
    /// True when there is a login that can be ended.
    let isLogin: Bool
    /// Whether it may resend and delete; otherwise it may only look.
    let mayChange: Bool
    /// What the addresses of a login's pages begin with; `nil` without one.
    let key: String?
}
