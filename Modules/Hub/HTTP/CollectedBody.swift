internal import CausewayGzip
internal import HTTPTypes
internal import NIOCore

/// The body of a request as it arrived. Its content is made where it is decoded, because that costs time.
struct CollectedBody: Sendable {
    private let bytes: ByteBuffer
    private let coding: ContentCoding
    private let bytesMax: Int
    private let lease: ByteLease

    init(_ bytes: ByteBuffer, _ coding: ContentCoding, bytesMax: Int, counting lease: ByteLease) {
        self.bytes = bytes
        self.coding = coding
        self.bytesMax = bytesMax
        self.lease = lease
    }

    /// The number of bytes that arrived.
    var count: Int { bytes.readableBytes }

    /// Whether they are the content.
    var isPlain: Bool { coding != .gzip }

    /// Returns the content, which counts in addition to the body.
    ///
    /// - Throws: 400 for a body that is not in the coding that its header names; 413 for content over the limit of the
    ///   body; 503 `busy` if there is no room for it.
    func content() throws -> [UInt8] {
        let body = Array(bytes.readableBytesView)
        guard coding == .gzip else { return body }
        do {
            return try Gzip.decompressed(body, bytesMax: bytesMax) { try lease.add($0) }
        } catch let error as GzipError {
            if case .tooLarge(let bytesMax) = error { throw HubHTTPError.bodyTooLarge(bytesMax) }
            throw HubHTTPError(.badRequest, code: "codingInvalid", detail: "invalid body: \(error)")
        }
    }
}
