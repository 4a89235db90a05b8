internal import Hummingbird

/// The bytes of responses, counted from before they are built until the client has read them: a slow reader uses up its
/// own share and nothing of the others.
struct ResponseShares: Sendable {
    private let bytes = ByteShares(
        totalMax: HubLimits.responseBytesInFlightMax, perAccountMax: HubLimits.responseBytesPerAccountMax,
        perPeerMax: HubLimits.responseBytesPerPeerMax)
    /// Few responses are built at a time, taking turns between accounts.
    private let gate = FairGate(slots: HubLimits.pagesMax)

    /// Builds a response when it is the account's turn.
    ///
    /// - Parameter reserved: an upper estimate of its bytes; with 0 it counts as soon as it is built.
    /// - Throws: 503 `busy` if there is no room, or too many wait; errors of `make`.
    func respond(
        _ context: HubRequestContext, reserving reserved: Int = 0, _ make: () async throws -> ResponseParts
    ) async throws -> Response {
        // Compressing costs more than most pages: it is part of the account's turn.
        let (lease, (parts, compressed)) = try await build(context, reserving: reserved) {
            let parts = try await make()
            return (parts, context.acceptsGzip ? parts.compressed() : nil)
        }
        if reserved == 0, !parts.isSmall { try lease.add(parts.count) }
        return Self.respond(parts, compressed, holding: lease, context)
    }

    /// Builds a value when it is the account's turn, with room for its bytes.
    ///
    /// - Throws: as ``respond(_:reserving:_:)``.
    func build<Value>(
        _ context: HubRequestContext, reserving reserved: Int, _ make: () async throws -> Value
    ) async throws -> (ByteLease, Value) {
        try await gate.run(for: context.requireAccount()) {
            let lease = try reserve(reserved, context)
            return (lease, try await make())
        }
    }

    /// - Throws: 503 `busy` if the bytes have no room.
    func reserve(_ reserved: Int, _ context: HubRequestContext) throws -> ByteLease {
        let lease = ByteLease(bytes, for: try context.requireOwner())
        if reserved > 0 { try lease.add(reserved) }
        return lease
    }

    /// Responds with bytes that exist already; compresses them when it is the account's turn.
    ///
    /// - Throws: 401 as ``HubRequestContext/requireAccount()``. Never 503: what the response reports has been done.
    func respond(
        _ parts: ResponseParts, holding lease: ByteLease, _ context: HubRequestContext
    ) async throws -> Response {
        guard context.acceptsGzip, parts.isCompressible else {
            return Self.respond(parts, nil, holding: lease, context)
        }
        let account = try context.requireAccount()
        // If too many of the account wait, the client gets the bytes as they are.
        let compressed = try? await gate.run(for: account) { parts.compressed() }
        return Self.respond(parts, compressed, holding: lease, context)
    }

    private static func respond(
        _ parts: ResponseParts, _ compressed: ResponseParts?, holding lease: ByteLease, _ context: HubRequestContext
    ) -> Response {
        if let compressed {
            var response = respond(identity: compressed, holding: lease, context)
            response.headers[.contentEncoding] = "gzip"
            response.headers[.vary] = "Accept-Encoding"
            return response
        }
        return respond(identity: parts, holding: lease, context)
    }

    private static func respond(
        identity parts: ResponseParts, holding lease: ByteLease, _ context: HubRequestContext
    ) -> Response {
        guard !parts.isSmall else { return JSONResponse.json(parts) }
        lease.correct(to: parts.count)
        return JSONResponse.json(parts, holding: lease, context)
    }
}
