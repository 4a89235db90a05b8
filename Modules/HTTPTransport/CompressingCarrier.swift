import CausewayGzip
import CausewayHTTP
import CausewayWire
import HTTPTypes
import NIOCore
import Synchronization

/// Carries requests over HTTP with bodies in the coding `gzip`, in both directions: a batch of messages has about a
/// sixth of its bytes, which a new connection carries in fewer round trips.
///
/// A request is compressed once the server has said that it takes that (`Accept-Encoding` of a response, RFC 9110
/// §12.5.3), and sent again as it is if the server refuses it after all (415).
final class CompressingCarrier: RequestCarrier {
    /// Smaller bodies fit into one packet anyway.
    static let bytesMin = 1024

    private let http: HTTPClient
    private let bodyBytesMax: Int
    private let isAccepted = Mutex(false)

    /// - Parameter bodyBytesMax: the most bytes of a response's content.
    init(_ http: HTTPClient, bodyBytesMax: Int) {
        self.http = http
        self.bodyBytesMax = bodyBytesMax
    }

    var endpoint: HTTPEndpoint { http.endpoint }

    var way: String? { nil }

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        var request = request
        request.fields[.acceptEncoding] = "gzip"
        guard let compressed = compressed(request) else { return try await content(http.send(request)) }
        let response = try await http.send(compressed)
        guard response.status.code == 415 else { return try content(response) }
        // Nothing was applied.
        isAccepted.withLock { $0 = false }
        return try await content(http.send(request))
    }

    private func compressed(_ request: HTTPClientRequest) -> HTTPClientRequest? {
        let count = request.body.readableBytes
        guard count >= Self.bytesMin, isAccepted.withLock({ $0 }),
            let body = Gzip.compressed(Array(request.body.readableBytesView)), body.count < count
        else { return nil }
        var compressed = request
        compressed.fields[.contentEncoding] = "gzip"
        compressed.body = ByteBuffer(bytes: body)
        return compressed
    }

    /// Notes what the server takes, and decompresses the body.
    private func content(_ response: HTTPClientResponse) throws(HTTPClientError) -> HTTPClientResponse {
        if let codings = response.fields[.acceptEncoding] {
            let takesGzip = codings.lowercased().split { $0 == "," || $0 == " " }.contains("gzip")
            isAccepted.withLock { $0 = takesGzip }
        }
        guard let coding = response.fields[.contentEncoding]?.lowercased(), coding != "identity" else {
            return response
        }
        guard coding == "gzip" else { throw .malformedResponse("the content coding is not gzip") }
        var response = response
        do {
            let body = try Gzip.decompressed(Array(response.body.readableBytesView), bytesMax: bodyBytesMax)
            response.body = ByteBuffer(bytes: body)
        } catch {
            throw .malformedResponse("its content coding: \(error)")
        }
        response.fields[.contentEncoding] = nil
        return response
    }

    func networkChanged() { http.networkChanged() }

    func shutdown() async { await http.shutdown() }
}
