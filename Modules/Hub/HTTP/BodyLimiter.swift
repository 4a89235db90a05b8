internal import Hummingbird
internal import NIOCore

/// Reads bodies, and bounds the memory of all concurrent ones.
///
/// Bytes count as they arrive, so that a client that announces much and sends little takes nothing from others.
struct BodyLimiter: Sendable {
    private let shares = ByteShares(
        totalMax: HubLimits.bodyBytesInFlightMax, perAccountMax: HubLimits.bodyBytesPerAccountMax,
        perPeerMax: HubLimits.bodyBytesPerPeerMax)

    /// Counts bytes that arrive on a connection and are no request yet.
    func lease(for owner: ByteShares.Owner) -> ByteLease { ByteLease(shares, for: owner) }

    /// Runs `body` with the complete body of the request, which counts until it returns.
    ///
    /// - Throws: 413 for a body over the limit; 503 `busy` at once if there is no room in total, for the account or
    ///   for the address: requests do not queue here.
    func collecting<Value>(
        _ request: Request, of owner: ByteShares.Owner, _ body: (ByteBuffer) async throws -> Value
    ) async throws -> Value {
        if let announced = request.headers[.contentLength] {
            guard let bytes = Int(announced), bytes <= HubLimits.requestBytesMax else {
                throw HubHTTPError.bodyTooLarge
            }
        }
        let lease = ByteLease(shares, for: owner)
        defer { withExtendedLifetime(lease) {} }
        var whole = ByteBuffer()
        for try await part in request.body {
            guard whole.readableBytes + part.readableBytes <= HubLimits.requestBytesMax else {
                throw HubHTTPError.bodyTooLarge
            }
            try lease.add(part.readableBytes)
            whole.writeImmutableBuffer(part)
        }
        return try await body(whole)
    }
}
