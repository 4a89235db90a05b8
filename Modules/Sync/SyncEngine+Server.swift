package import CausewayModels
import CausewayOutbox
package import CausewayTransport

/// The server of the session, for requests that are made at once: pages, records, writes, files.
extension SyncEngine {
    /// The server of the session, for a request that is made now.
    func connected() throws(SyncError) -> (transport: any Transport, session: SessionID) {
        if isClosed { throw .closed }
        guard let session else { throw .noSession }
        guard let transport else { throw .transport(.actionRequired(outbox.actionRequired ?? .noStoredToken)) }
        return (transport, session.id)
    }

    /// The error of a request that failed: if the engine was closed or the session ended meanwhile, that is the cause,
    /// because both close the connection.
    package func cause(of error: TransportError, in asked: SessionID) -> SyncError {
        if isClosed { return .closed }
        return session?.id == asked ? .transport(error) : .noSession
    }

    /// The files of the session's server, for a request that is made now; `nil` if it has none.
    package func media() throws(SyncError) -> (store: (any MediaStore)?, session: SessionID) {
        let (transport, session) = try connected()
        return (transport.media, session)
    }
}
