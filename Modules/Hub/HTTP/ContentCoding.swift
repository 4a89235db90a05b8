internal import HTTPTypes

/// The codings of bodies that the hub knows.
enum ContentCoding: Sendable {
    case identity, gzip

    /// The value of `Accept-Encoding` in responses: the codings of further requests (RFC 9110 §12.5.3).
    static let accepted = "gzip"

    /// The coding of a request's body.
    ///
    /// - Throws: 415 for any other one.
    init(of headers: HTTPFields) throws {
        switch headers[.contentEncoding]?.lowercased() {
        case nil, "", "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        default:
            throw HubHTTPError(
                .unsupportedMediaType, code: "codingUnsupported",
                detail: "the hub knows no content coding but gzip", headers: [.acceptEncoding: Self.accepted])
        }
    }

    /// Whether the response to a request may have the coding `gzip`: it is named, and not with the weight 0.
    static func acceptsGzip(_ headers: HTTPFields) -> Bool { WeightedList.names("gzip", .acceptEncoding, of: headers) }
}
