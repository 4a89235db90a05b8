package import Causeway

/// *Authentication* of the documentation: the client with its session handler, login and logout.
package enum SessionSamples {
    /// *Session handler*: asked for another token when the server refuses the present one. Throws while the
    /// application's own server cannot be reached; it is asked again after a while.
    package static func open(
        on store: any Store, _ transports: TransportRegistry, _ credentials: any CredentialStore,
        _ configuration: ClientConfiguration = ClientConfiguration(),
        fetchToken: @escaping @Sendable (UserID) async throws -> AccessToken
    ) async throws -> CausewayClient {
        try await CausewayClient.open(
            store: store, transports: transports, credentials: credentials, configuration: configuration,
            renewToken: { session in try await fetchToken(session.user) })
    }

    /// *Login*. Returns the user to whom the token belongs.
    package static func login(
        _ client: CausewayClient, at server: String, with token: AccessToken
    ) async throws -> UserID {
        try await client.login(server: server, token: token).user
    }

    /// *Session state*, observed until the user has logged out.
    package static func followSession(
        of client: CausewayClient, show: @Sendable (_ isLoggedIn: Bool) async -> Void
    ) async {
        for await status in client.liveStatus() {
            let isLoggedIn = status.session?.isActive ?? false
            await show(isLoggedIn)
            if !isLoggedIn { return }
        }
    }

    /// *Logout*, with everything that is stored of the account.
    package static func logout(_ client: CausewayClient) async throws { try await client.logout(erasing: true) }
}
