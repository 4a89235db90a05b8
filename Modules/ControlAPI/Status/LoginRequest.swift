package import CausewayModels

/// A login, as JSON. The only request that contains a secret: it is never printed or logged.
package struct LoginRequest: Sendable, Hashable {
    package var server: String
    package var token: AccessToken
    /// PEM text of the certificate authorities that the server is verified against; `nil` for the daemon's own setting,
    /// or the system's. Stored with the session.
    package var authorities: String?
    /// Paths of PEM files on the daemon's machine, for servers that require a client certificate.
    package var certificatePath: String?
    package var keyPath: String?

    package init(
        server: String, token: AccessToken, authorities: String? = nil, certificatePath: String? = nil,
        keyPath: String? = nil
    ) {
        self.server = server
        self.token = token
        self.authorities = authorities
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}

extension LoginRequest: Codable {
    private enum Key: String, CodingKey { case server, token, authorities, certificatePath, keyPath }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        server = try container.decode(String.self, forKey: .server)
        guard let token = AccessToken(try container.decode(String.self, forKey: .token)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .token, in: container, debugDescription: "a token has 1 to 4,096 visible ASCII characters")
        }
        self.token = token
        authorities = try container.decodeIfPresent(String.self, forKey: .authorities)
        certificatePath = try container.decodeIfPresent(String.self, forKey: .certificatePath)
        keyPath = try container.decodeIfPresent(String.self, forKey: .keyPath)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(server, forKey: .server)
        try container.encode(token.text, forKey: .token)
        try container.encodeIfPresent(authorities, forKey: .authorities)
        try container.encodeIfPresent(certificatePath, forKey: .certificatePath)
        try container.encodeIfPresent(keyPath, forKey: .keyPath)
    }
}

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

/// The result of a logout.
package struct LogoutReport: Sendable, Hashable, Codable {
    /// The number of undelivered messages, which have now failed (session ended).
    package let unsent: Int

    package init(unsent: Int) { self.unsent = unsent }
}
