public import Causeway
import CausewayRuntime

extension Session {
    /// An active session.
    public static func sample(of user: UserID = .sample, at server: String = "https://chat.example") -> Session {
        Session(
            id: SessionID(SystemRuntime().makeUUIDv7()), server: server, user: user,
            startedAt: Timestamp(milliseconds: 1_700_000_000_000))
    }
}
