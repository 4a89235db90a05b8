import Causeway
import CausewayControlAPI
import Hummingbird

/// The routes of records other than messages.
extension ControlRoutes {
    func addRecords(to router: Router<Context>) {
        router.get("/v1/records/:kind") { request, context in
            let query = try recordPage(request, kind: context.parameters.get("kind") ?? "")
            return try respond(try await service.records(query))
        }
        router.post("/v1/records") { request, _ in
            let write = try await RequestBody.json(RecordWriteRequest.self, from: request)
            return try respond(try await service.write(write))
        }
    }

    private func recordPage(_ request: Request, kind: String) throws(ControlError) -> RecordPageRequest {
        guard let kind = RecordKind(kind) else { throw ControlError(.badRequest, "invalid kind of records") }
        guard let list = try text("list", in: request) else { throw ControlError(.badRequest, "`list` is missing") }
        let order = try text("order", in: request) ?? "ascending"
        guard ["ascending", "descending"].contains(order) else {
            throw ControlError(.badRequest, "invalid `order`; use ascending or descending")
        }
        let after = try text("after", in: request).map { text throws(ControlError) in
            guard let cursor = ListCursor(text) else {
                throw ControlError(.badRequest, "invalid cursor in `after`; use the `next` value of the previous page")
            }
            return cursor
        }
        return RecordPageRequest(
            list: RecordList(kind: kind, name: list, scope: try text("scope", in: request) ?? ""),
            isDescending: order == "descending",
            limit: try number("limit", in: request).map { Int(clamping: $0) } ?? Limits.pageSizeDefault, after: after,
            refresh: try refresh(in: request))
    }
}
