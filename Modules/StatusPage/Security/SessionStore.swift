import CausewayModels
import CausewayTLS
import Synchronization

/// The logins of the page. In memory: a restart of the page ends every login.
///
/// Owned by the page; the lock guards the table and is held for a look-up. Bounded by ``StatusPageLimits/sessionsMax``.
final class SessionStore: Sendable {
    private struct Entry {
        var session: PageSession
        let begunAt: MonotonicTime
        var usedAt: MonotonicTime
    }

    /// The session of a page without a token, shared by everyone who can reach it.
    private let open: PageSession?
    /// The secret of the login form, which belongs to no session yet.
    let loginSecret = SessionStore.secret()
    /// Keyed by the digest of the cookie, so that the timing of a comparison reveals nothing about it.
    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// - Parameter allowsChanges: whether visitors may make changes when no login is needed.
    init(needsLogin: Bool, allowsChanges: Bool) {
        open =
            needsLogin
            ? nil : PageSession(csrfToken: Self.secret(), isLogin: false, mayChange: allowsChanges, key: nil)
    }

    var needsLogin: Bool { open == nil }

    static func secret() -> String { Hexadecimal.text(of: SecureRandom.bytes(32)) }

    /// Starts a session and returns its cookie and the key of its paths.
    func begin(at now: MonotonicTime) -> (cookie: String, key: String) {
        let (cookie, key) = (Self.secret(), Self.secret())
        let session = PageSession(csrfToken: Self.secret(), isLogin: true, mayChange: true, key: key)
        entries.withLock { entries in
            if entries.count >= StatusPageLimits.sessionsMax {
                entries = entries.filter { Self.isAlive($0.value, now) }
            }
            if entries.count >= StatusPageLimits.sessionsMax,
                let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
            {
                entries[oldest] = nil
            }
            entries[Digest.sha256(cookie.utf8)] = Entry(session: session, begunAt: now, usedAt: now)
        }
        return (cookie, key)
    }

    /// Returns the session of a request; `nil` when it must log in first.
    ///
    /// Both the cookie and the key must belong to the session. The key is in the path, so that the cookie reaches no
    /// other server; since a path can be read over a shoulder, the key alone is not enough.
    ///
    /// - Parameter isUse: true when a user made the request. The requests that a page's script makes by itself, as long
    ///   as its tab is open, must not keep a login alive.
    func session(cookie: String?, key: String?, at now: MonotonicTime, isUse: Bool) -> PageSession? {
        if let open { return open }
        guard let cookie, let key else { return nil }
        let place = Digest.sha256(cookie.utf8)
        return entries.withLock { entries in
            guard let entry = entries[place], let own = entry.session.key,
                Digest.constantTimeEqual(Array(own.utf8), Array(key.utf8))
            else { return nil }
            guard Self.isAlive(entry, now) else {
                entries[place] = nil
                return nil
            }
            if isUse { entries[place]?.usedAt = now }
            return entry.session
        }
    }

    func end(cookie: String) {
        let key = Digest.sha256(cookie.utf8)
        entries.withLock { $0[key] = nil }
    }

    private static func isAlive(_ entry: Entry, _ now: MonotonicTime) -> Bool {
        now - entry.begunAt < .seconds(StatusPageLimits.sessionSecondsMax)
            && now - entry.usedAt < .seconds(StatusPageLimits.sessionIdleSecondsMax)
    }
}

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
