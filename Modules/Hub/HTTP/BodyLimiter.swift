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
    /// - Parameter bytesMax: the most bytes of the body.
    /// - Throws: 413 for a body over the limit; 415 for an unknown content coding; 503 `busy` at once if there is no
    ///   room in total, for the account or for the address: requests do not queue here.
    func collecting<Value>(
        _ request: Request, of owner: ByteShares.Owner, bytesMax: Int = HubLimits.requestBytesMax,
        _ body: (CollectedBody) async throws -> Value
    ) async throws -> Value {
        if let announced = request.headers[.contentLength] {
            guard let bytes = Int(announced), bytes <= bytesMax else { throw HubHTTPError.bodyTooLarge(bytesMax) }
        }
        let coding = try ContentCoding(of: request.headers)
        let lease = ByteLease(shares, for: owner)
        defer { withExtendedLifetime(lease) {} }
        var whole = ByteBuffer()
        for try await part in request.body {
            guard whole.readableBytes + part.readableBytes <= bytesMax else {
                throw HubHTTPError.bodyTooLarge(bytesMax)
            }
            try lease.add(part.readableBytes)
            whole.writeImmutableBuffer(part)
        }
        return try await body(CollectedBody(whole, coding, bytesMax: bytesMax, counting: lease))
    }
}
