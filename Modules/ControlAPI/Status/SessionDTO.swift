package import Causeway

/// A session, as JSON.
package struct SessionDTO: Sendable, Hashable, Codable {
    package let id: SessionID
    package let server: String
    package let user: UserID
    package let startedAt: String
    package let startedAtMs: Int64

    package init(_ session: Session) {
        id = session.id
        server = session.server
        user = session.user
        startedAt = session.startedAt.description
        startedAtMs = session.startedAt.milliseconds
    }
}
