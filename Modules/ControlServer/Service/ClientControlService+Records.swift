import Causeway
package import CausewayControlAPI

/// Records other than messages, of every kind in the same way.
extension ClientControlService {
    package func records(_ request: RecordPageRequest) async throws(ControlError) -> RecordPageResponse {
        let kind = try Self.kind(request.list.kind)
        return try await page(of: kind, request)
    }

    package func write(_ request: RecordWriteRequest) async throws(ControlError) -> RecordWriteResponse {
        let kind = try Self.kind(request.kind)
        let version = try await version(of: request.write, kind)
        return RecordWriteResponse(request.write, version: version)
    }

    private func page<Value: Record>(
        of kind: Value.Type, _ request: RecordPageRequest
    ) async throws(ControlError) -> RecordPageResponse {
        let query = RecordListQuery(
            list: request.list, direction: request.isDescending ? .descending : .ascending, after: request.after,
            limit: request.limit)
        var problem: String?
        if request.refresh != .never {
            do throws(ClientError) {
                let page = try await client.records.refreshedPage(kind, query)
                return RecordPageResponse(page.records.map(Self.described), next: page.next, refreshed: true)
            } catch {
                let error = ControlError(error)
                // The server's word: the stored page of a list that the account may not read is of no use.
                if request.refresh == .required || error.code == .refused { throw error }
                problem = error.detail
            }
        }
        let page = try await asked { () throws(ClientError) in try await client.records.storedPage(query) }
        return RecordPageResponse(
            page.records.map(Self.described), next: page.next, refreshed: false, refreshProblem: problem)
    }

    private func version<Value: Record>(
        of write: RecordWrite, _ kind: Value.Type
    ) async throws(ControlError) -> Int64 {
        try await asked { () throws(ClientError) in try await client.records.write(write, of: kind) }
    }

    private static func kind(_ name: RecordKind) throws(ControlError) -> any Record.Type {
        guard let kind = RecordKinds.all.first(where: { $0.kind == name }) else {
            let known = RecordKinds.all.map { $0.kind.value }.joined(separator: ", ")
            throw ControlError(.badRequest, "no records of the kind \(name.value.prefix(64)); use one of \(known)")
        }
        return kind
    }

    private static func described(_ record: StoredRecord) -> RecordDTO {
        let value = try? JSONCoding.decode(JSONValue.self, from: Array(record.value))
        return RecordDTO(kind: record.kind, id: record.id, version: record.version, value: value ?? .null)
    }
}
