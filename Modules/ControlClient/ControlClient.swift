package import CausewayControlAPI
import CausewayHTTP
package import CausewayModels
import CausewaySystem
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix

/// The control service of another process, over its Unix socket. Keeps its connections; safe for concurrent calls.
///
/// A request that changes something is never sent twice: when the other process stops before it has responded, the call
/// throws ``ControlError/Code/responseLost``, and only a read can show whether the change was made.
package final class ControlClient: ControlService {
    let http: HTTPClient
    let socketPath: String
    let watchSilence: Duration

    /// Connects with the first call.
    ///
    /// - Parameters:
    ///   - responseTime: how long to wait for the first byte of a response; the whole response may take twice that.
    ///   - connectionsMax: the number of concurrent calls; more wait.
    ///   - watchSilence: the silence after which a watch considers the other process dead.
    ///
    /// Throws ``ControlError/Code/configuration`` when the path cannot be that of a socket.
    package init(
        socketPath: String, responseTime: Duration = .seconds(ControlLimits.responseSecondsMax),
        connectionsMax: Int = ControlLimits.clientConnectionsMax,
        watchSilence: Duration = .seconds(3 * ControlLimits.watchSilenceSecondsMax)
    ) throws(ControlError) {
        self.socketPath = socketPath
        self.watchSilence = watchSilence
        var limits = HTTPLimits()
        limits.bodyBytesMax = ControlLimits.responseBytesMax
        limits.connectionsMax = connectionsMax
        do throws(HTTPEndpointError) {
            http = HTTPClient(
                endpoint: try .unix(path: socketPath, host: ControlHost.name),
                timeouts: HTTPTimeouts(connect: .seconds(10), firstByte: responseTime, whole: responseTime * 2),
                limits: limits,
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
        } catch {
            throw ControlError(.configuration, "the socket \(socketPath): \(error.description)")
        }
    }

    /// Closes the connections. Later calls throw.
    package func close() async { await http.shutdown() }

    // MARK: - Session

    /// Does not send the token to a socket of another user: throws ``ControlError/Code/socketNotAccessible``.
    package func login(_ request: LoginRequest) async throws(ControlError) -> SessionDTO {
        if let problem = FileAccess.problem(ofSocket: socketPath) {
            throw ControlError(.socketNotAccessible, "the socket \(socketPath) \(problem); no token was sent")
        }
        return try await post("/v1/login", request)
    }

    package func logout() async throws(ControlError) -> LogoutReport { try await post("/v1/logout", Nothing()) }

    // MARK: - Sending

    package func send(_ messages: [OutgoingMessage]) async throws(ControlError) -> SendReport {
        try await post("/v1/messages", messages)
    }

    package func result(
        of id: MessageID, within limit: Duration
    ) async throws(ControlError) -> DeliveryResultResponse {
        let limit = min(max(limit, .zero), .seconds(ControlLimits.waitSecondsMax))
        return try await get("/v1/messages/\(id)/result", ["withinMs": String(Int64(limit / .milliseconds(1)))])
    }

    package func edit(_ id: MessageID, _ request: EditRequest) async throws(ControlError) -> MessageDTO {
        try await post("/v1/messages/\(id)/edit", request)
    }

    package func react(_ id: MessageID, _ request: ReactionRequest) async throws(ControlError) -> MessageDTO {
        try await post("/v1/messages/\(id)/reactions", request)
    }

    // MARK: - Reading

    package func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListResponse {
        var parts = Self.parts(of: query.range)
        parts["refresh"] = query.refresh.rawValue
        return try await get("/v1/channels/\(Self.escaped(query.channel.value))/messages", parts)
    }

    package func message(_ id: MessageID) async throws(ControlError) -> MessageDTO {
        try await get("/v1/messages/\(id)")
    }

    package func outbox(_ query: OutboxQuery) async throws(ControlError) -> MessageListResponse {
        var parts = Self.parts(of: query.range)
        parts["channel"] = query.channel?.value
        parts["state"] = query.state?.rawValue
        parts["order"] = query.newestFirst ? "newest" : nil
        return try await get("/v1/outbox", parts)
    }

    package func failed(
        in channel: ChannelID?, _ range: PageRange
    ) async throws(ControlError) -> MessageListResponse {
        var parts = Self.parts(of: range)
        parts["channel"] = channel?.value
        return try await get("/v1/failed", parts)
    }

    package func deleteActions(
        limit: Int, before: Int64?
    ) async throws(ControlError) -> DeleteActionListResponse {
        var parts = ["limit": String(limit)]
        parts["before"] = before.map(String.init)
        return try await get("/v1/delete-actions", parts)
    }

    package func records(_ request: RecordPageRequest) async throws(ControlError) -> RecordPageResponse {
        var parts = ["list": request.list.name, "limit": String(request.limit), "refresh": request.refresh.rawValue]
        parts["scope"] = request.list.scope.isEmpty ? nil : request.list.scope
        parts["order"] = request.isDescending ? "descending" : nil
        parts["after"] = request.after?.text
        return try await get("/v1/records/\(Self.escaped(request.list.kind.value))", parts)
    }

    package func write(_ request: RecordWriteRequest) async throws(ControlError) -> RecordWriteResponse {
        try await post("/v1/records", request)
    }

    package func status() async throws(ControlError) -> StatusResponse { try await get("/v1/status") }

    package func activity() async throws(ControlError) -> ActivityResponse { try await get("/v1/activity") }

    /// Returns the settings of the other process.
    ///
    /// Throws ``ControlError/Code/notFound`` when it has none to show, as with older versions.
    package func settings() async throws(ControlError) -> SettingsResponse { try await get("/v1/config") }

    // MARK: - Changing

    package func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport {
        try await post("/v1/resend", MessageSelection(ids: ids, by: nil))
    }

    package func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport {
        try await post("/v1/resend-failed", ChannelFilter(channel: channel, by: nil))
    }

    package func delete(
        _ ids: [MessageID], by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport {
        try await post("/v1/delete", MessageSelection(ids: ids, by: origin))
    }

    package func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport {
        try await post("/v1/delete-failed", ChannelFilter(channel: channel, by: origin))
    }

    package func setPaused(_ isPaused: Bool) async throws(ControlError) {
        let _: Nothing = try await post(isPaused ? "/v1/pause" : "/v1/resume", Nothing())
    }

    package func probe() async throws(ControlError) {
        let _: Nothing = try await post("/v1/probe", Nothing())
    }

    package func beginUpkeep(_ request: UpkeepRequest) async throws(ControlError) -> UpkeepStatus {
        try await post("/v1/upkeep", request)
    }

    package func upkeep() async throws(ControlError) -> UpkeepStatus? {
        let last: [UpkeepStatus] = try await get("/v1/upkeep")
        return last.first
    }

    // MARK: - Requests

    private struct Nothing: Codable {}

    private func get<Response: Decodable>(
        _ path: String, _ parts: [String: String] = [:]
    ) async throws(ControlError) -> Response {
        let query = parts.sorted { $0.key < $1.key }.map { $0.key + "=" + Self.escaped($0.value) }
        let target = query.isEmpty ? path : path + "?" + query.joined(separator: "&")
        return try await send(HTTPClientRequest(method: .get, path: target))
    }

    private func post<Response: Decodable>(
        _ path: String, _ body: some Encodable
    ) async throws(ControlError) -> Response {
        let data = try ControlJSON.encode(body)
        guard data.count <= ControlLimits.bodyBytesMax else {
            throw ControlError(.tooLarge, "the request is larger than the daemon accepts: \(data.count) bytes")
        }
        return try await send(
            HTTPClientRequest(
                method: .post, path: path, fields: [.contentType: "application/json"], body: ByteBuffer(bytes: data)))
    }

    private func send<Response: Decodable>(_ request: HTTPClientRequest) async throws(ControlError) -> Response {
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await http.send(request)
        } catch {
            throw problem(error, request)
        }
        return try decoded(response)
    }

    func decoded<Response: Decodable>(_ response: HTTPClientResponse) throws(ControlError) -> Response {
        var response = response
        let data = Data(response.body.readBytes(length: response.body.readableBytes) ?? [])
        guard response.status.kind == .successful else {
            let problem = try? ControlJSON.decode(ErrorResponse.self, from: data, what: "the response")
            throw problem?.error.error
                ?? ControlError(
                    .internalError, "the daemon at \(socketPath) responded with status \(response.status.code)")
        }
        do throws(ControlError) {
            return try ControlJSON.decode(Response.self, from: data, what: "the response")
        } catch {
            throw ControlError(
                .internalError,
                "the daemon at \(socketPath) sent a response that this version does not understand: \(error.detail)")
        }
    }

    func problem(_ error: HTTPClientError, _ request: HTTPClientRequest) -> ControlError {
        guard error.mayHaveReachedServer, request.method != .get else {
            return ControlError(
                .daemonUnreachable, "the daemon at \(socketPath) does not respond: \(error.description)")
        }
        return ControlError(
            .responseLost,
            "the daemon at \(socketPath) stopped before it responded (\(error.description)); the request may have"
                + " been carried out: check `causeway outbox` before you repeat it")
    }

    private static func parts(of range: PageRange) -> [String: String] {
        var parts = ["limit": String(range.limit)]
        parts["after"] = range.after?.description
        return parts
    }

    /// Percent-encodes every character with a meaning in a path or a query.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~@:")
}
