package import Causeway
package import CausewayConfiguration
package import CausewayControlAPI
package import CausewayStorage

/// The control service of the process that owns the store, on top of a client.
package struct ClientControlService: ControlService {
    let client: CausewayClient
    let trust: any TrustStore
    let process: StatusResponse.Process
    let monitor: ActivityMonitor
    let followers = SubscriberLimiter()
    private let logins = LoginQueue()
    let upkeepRunner: UpkeepRunner

    /// - Parameters:
    ///   - trust: stores the certificate settings of each server.
    ///   - store: the client's store, for works on it; `nil` if there are none.
    package init(
        client: CausewayClient, trust: any TrustStore, process: StatusResponse.Process,
        store: (any StoreUpkeep)? = nil
    ) {
        upkeepRunner = UpkeepRunner(store: store, folder: process.store)
        self.client = client
        self.trust = trust
        self.process = process
        monitor = ActivityMonitor(client)
    }

    // MARK: - Session

    /// The logins that wait for the one that is under way; for tests.
    package var loginsWaiting: Int { logins.waitingCount }

    package func login(_ request: LoginRequest) async throws(ControlError) -> SessionDTO {
        var request = request
        // Before it is stored, or becomes the name of a file.
        guard !ServerAddress.mayHaveSecret(request.server) else {
            throw ControlError(
                .badRequest,
                "invalid server address: it must not contain a user, a password, a query or a fragment; use an address "
                    + "such as https://chat.example:8443")
        }
        guard request.server.utf8.count <= ControlLimits.serverAddressBytesMax else {
            throw ControlError(
                .badRequest,
                "invalid server address: it is longer than \(ControlLimits.serverAddressBytesMax) bytes")
        }
        // Another spelling of the same server would be another session.
        while request.server.hasSuffix("/") { request.server.removeLast() }
        try await logins.enter()
        defer { logins.leave() }
        // The transport of the login looks it up; it is stored when the server has accepted the login.
        let entry = TrustEntry(request)
        try trust.propose(entry, for: request.server)
        defer { trust.withdraw() }
        let session = try await asked { () throws(ClientError) in
            try await client.login(server: request.server, token: request.token)
        }
        do throws(ControlError) {
            try trust.keep(entry, for: request.server)
        } catch {
            throw ControlError(
                error.code,
                "logged in, but the certificate settings were not stored: \(error.detail); log in again")
        }
        return SessionDTO(session)
    }

    package func logout() async throws(ControlError) -> LogoutReport {
        LogoutReport(unsent: try await asked { () throws(ClientError) in try await client.logout() })
    }

    // MARK: - Reading

    package func messages(_ query: ChannelQuery) async throws(ControlError) -> MessageListResponse {
        let (refreshed, problem) = try await refresh(query)
        let page = try await asked { () throws(ClientError) in
            try await client.messages.storedMessages(
                in: query.channel, limit: query.range.limit, before: query.range.after?.cursor)
        }
        let reasons = try await reasons(for: page.messages)
        var response = MessageListResponse(page.messages.map { MessageDTO($0, wait: reasons[$0.id]) }, next: page.next)
        response.refreshed = refreshed
        response.refreshProblem = problem
        return response
    }

    private func refresh(_ query: ChannelQuery) async throws(ControlError) -> (done: Bool, problem: String?) {
        if query.refresh == .never { return (false, nil) }
        // Every message that the server has lies below a position in the queue.
        let position = query.range.after.map(\.cursor.position).flatMap { $0 == .max ? nil : $0 }
        do throws(ClientError) {
            try await client.messages.refreshMessages(in: query.channel, limit: query.range.limit, before: position)
            return (true, nil)
        } catch {
            if query.refresh == .required { throw ControlError(error) }
            return (false, error.description)
        }
    }

    package func message(_ id: MessageID) async throws(ControlError) -> MessageDTO {
        let message = try await asked { () throws(ClientError) in
            try await client.messages.storedMessage(id)
        }
        if let message { return MessageDTO(message, wait: try await reasons(for: [message])[id]) }
        let operation = try await asked { () throws(ClientError) in
            try await client.messages.storedOperation(id)
        }
        guard let operation else { throw ControlError(ClientError.messageNotFound(id)) }
        return MessageDTO(operation, wait: try await reasons(for: [operation])[id])
    }

    package func failed(
        in channel: ChannelID?, _ range: PageRange
    ) async throws(ControlError) -> MessageListResponse {
        let page = try await asked { () throws(ClientError) in
            try await client.messages.failedOperations(
                in: channel, limit: range.limit, after: range.after?.cursor)
        }
        return MessageListResponse(page.operations.map { MessageDTO($0) }, next: page.next)
    }

    package func deleteActions(
        limit: Int, before: Int64?
    ) async throws(ControlError) -> DeleteActionListResponse {
        let limit = PageRange(limit: limit).limit
        let actions = try await asked { () throws(ClientError) in
            try await client.messages.deleteActions(limit: limit, before: before)
        }
        return DeleteActionListResponse(
            actions.map(DeleteActionDTO.init), next: actions.count == limit ? actions.last?.sequence : nil)
    }

    package func status() async throws(ControlError) -> StatusResponse {
        let status = try await asked { () throws(ClientError) in try await client.status() }
        let heads = status.lanes.prefix(ControlLimits.laneHeadsMax).compactMap(\.head)
        let operations = try await asked { () throws(ClientError) in
            try await client.messages.getOperations(heads)
        }
        let ages = Dictionary(operations.map { ($0.id, $0.createdAt) }) { first, _ in first }
        return StatusResponse(status, headsCreatedAt: ages, process: process)
    }

    /// Returns why these messages or operations wait; those that do not are omitted.
    func reasons(for items: [some Deliverable]) async throws(ControlError) -> [OperationID:
        WaitReason]
    {
        let waiting = items.filter { $0.isUndelivered && $0.syncState != .error }
        return waiting.isEmpty ? [:] : await client.messages.waitReasons(for: waiting)
    }

    // MARK: - Resending and deleting

    package func resend(_ ids: [MessageID]) async throws(ControlError) -> ChangeReport {
        let isChange = try await changes(among: ids)
        let resent = try await asked { () throws(ClientError) in try await client.messages.resend(ids) }
        return ChangeReport(ids: resent, changes: resent.count(where: isChange.contains))
    }

    package func resendFailed(in channel: ChannelID?) async throws(ControlError) -> ChangeReport {
        ChangeReport(
            try await asked { () throws(ClientError) in try await client.messages.resendFailed(in: channel) })
    }

    package func delete(
        _ ids: [MessageID], by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport {
        let isChange = try await changes(among: ids)
        let deleted = try await asked { () throws(ClientError) in
            try await client.messages.softDeleteMessages(ids, by: origin)
        }
        return ChangeReport(ids: deleted, changes: deleted.count(where: isChange.contains))
    }

    /// The edits and reactions among these operations.
    private func changes(among ids: [OperationID]) async throws(ControlError) -> Set<OperationID> {
        let operations = try await asked { () throws(ClientError) in try await client.messages.getOperations(ids) }
        return Set(operations.filter { !$0.createsMessage }.map(\.id))
    }

    package func deleteFailed(
        in channel: ChannelID?, by origin: DeleteAction.Origin
    ) async throws(ControlError) -> ChangeReport {
        ChangeReport(
            try await asked { () throws(ClientError) in
                try await client.messages.deleteFailed(in: channel, by: origin)
            })
    }

    // MARK: - Operators

    package func setPaused(_ isPaused: Bool) async throws(ControlError) {
        try await asked { () throws(ClientError) in
            if isPaused { try await client.pause() } else { try await client.resume() }
        }
    }

    package func probe() async throws(ControlError) { await client.probeNow() }

    /// Calls the client, and converts its errors.
    func asked<Value>(_ question: () async throws(ClientError) -> Value) async throws(ControlError) -> Value {
        do throws(ClientError) { return try await question() } catch { throw ControlError(error) }
    }
}
