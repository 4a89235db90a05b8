internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird

extension HubRouter {
    func events(_ request: Request, _ context: HubRequestContext) async throws -> Response {
        try await events.respond(try eventRequest(request, context), context)
    }

    private func eventRequest(_ request: Request, _ context: HubRequestContext) throws -> EventRequest {
        let query = request.uri.queryParameters
        var events = EventRequest(isStream: ServerSentEvents.isAccepted(by: request.headers))
        let lastIDs = request.headers[values: ServerSentEvents.lastEventIDField]
        guard lastIDs.count <= 1 else { throw badQuery("Last-Event-ID must be given once") }
        // A reader that reconnects repeats its request; its last event is newer than the cursor in it.
        let requested = try text("cursor", in: query)
        if let text = lastIDs.first ?? requested {
            guard let cursor = LogCursor(text) else {
                throw HubHTTPError(
                    .badRequest, code: "cursorInvalid",
                    detail: "invalid cursor; use the cursor of the previous response, or none")
            }
            events.cursor = cursor
        }
        if let seconds = try number("wait", in: query) {
            guard seconds <= WireProtocol.eventsWaitMax else {
                throw badQuery("wait must be at most \(WireProtocol.eventsWaitMax) seconds")
            }
            events.wait = .seconds(seconds)
        }
        if let limit = try number("limit", in: query) {
            guard (1...Int64(WireProtocol.eventsMax)).contains(limit) else {
                throw badQuery("limit must be between 1 and \(WireProtocol.eventsMax)")
            }
            events.limit = Int(limit)
        }
        if let seen = try text("ephemeral", in: query) {
            guard let token = EphemeralToken(seen) else {
                throw badQuery("ephemeral must be the 'seen' of the previous part, or \(WireEphemeral.unseen)")
            }
            events.seen = token
        }
        if let topics = try text("topics", in: query, bytesMax: HubLimits.eventTopicsBytesMax) {
            events.topics = try self.topics(topics, TopicRights(of: context.requireAccount().user))
        }
        events.outbox = try outbox(in: query)
        return events
    }

    private func topics(_ text: String, _ rights: TopicRights) throws -> Set<LogTopic> {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= WireProtocol.eventTopicsMax else {
            throw badQuery("topics must be at most \(WireProtocol.eventTopicsMax)")
        }
        return Set(
            try parts.map { part in
                guard let topic = LogTopic(wireText: part, for: rights) else {
                    throw badQuery("topics must be a list of channel:CHANNEL and account, separated by commas")
                }
                return topic
            })
    }
}
