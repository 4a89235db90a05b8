import CausewayHTTP

/// Carries requests to one server and brings back the responses: over HTTP, over a WebSocket, or over the better of
/// both.
///
/// Any number of tasks may send at once. An error says whether the server may have seen the request.
protocol RequestCarrier: Sendable {
    var endpoint: HTTPEndpoint { get }

    /// How requests travel at present, for display; `nil` if the address says it.
    var way: String? { get }

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse

    /// Closes the connections that carry no request, and begins anew to open those that are being opened. Returns at
    /// once.
    func networkChanged()

    /// Fails the requests under way and closes all connections; returns when they are closed. Later requests fail.
    func shutdown() async
}

extension HTTPClient: RequestCarrier {
    var way: String? { nil }
}
