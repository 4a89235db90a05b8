internal import COpenSSL
internal import Synchronization

/// One `SSL_SESSION`, reference-counted by OpenSSL and released with the last reference here.
@safe
final class TLSSession: @unchecked Sendable {
    // Sendable because: the pointer never changes and is only read; OpenSSL counts and protects sessions itself, and
    // several connections may hold one.
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe SSL_SESSION_free(pointer)
    }

    /// TLS 1.3 tickets are used once, so that an observer cannot link connections (RFC 8446 appendix C.4).
    var isForOneUse: Bool { unsafe SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }
    var isResumable: Bool { unsafe SSL_SESSION_is_resumable(pointer) == 1 }
}

/// The sessions that a client may resume, by server name. Bounded: the least recently used name is removed first.
final class TLSSessionCache: Sendable {
    private struct State {
        var sessions: [String: [TLSSession]] = [:]
        /// The names, the most recently used one last. At most `sessionNamesMax`, so a scan is short.
        var order: [String] = []

        mutating func touch(_ name: String) {
            if let index = order.firstIndex(of: name) { order.remove(at: index) }
            order.append(name)
        }
    }

    private let state = Mutex(State())

    func store(_ session: TLSSession, for name: String) {
        state.withLock { state in
            state.touch(name)
            var sessions = state.sessions[name] ?? []
            sessions.append(session)
            if sessions.count > TLSLimits.sessionsPerNameMax { sessions.removeFirst() }
            state.sessions[name] = sessions
            if state.order.count > TLSLimits.sessionNamesMax {
                state.sessions[state.order.removeFirst()] = nil
            }
        }
    }

    /// The newest session for that name. One that may be used only once is removed.
    func take(for name: String) -> TLSSession? {
        state.withLock { state in
            while let session = state.sessions[name]?.last {
                if session.isForOneUse || !session.isResumable { state.sessions[name]?.removeLast() }
                if session.isResumable {
                    state.touch(name)
                    return session
                }
            }
            return nil
        }
    }

    /// Removes all sessions of a name after a failed handshake, because they may have caused it.
    func removeAll(for name: String) {
        state.withLock { state in
            state.sessions[name] = nil
            state.order.removeAll { $0 == name }
        }
    }

    var nameCount: Int { state.withLock { $0.order.count } }
}
