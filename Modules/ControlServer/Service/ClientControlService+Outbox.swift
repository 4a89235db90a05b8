import Causeway
package import CausewayControlAPI

extension ClientControlService {
    package func outbox(_ query: OutboxQuery) async throws(ControlError) -> MessageListResponse {
        guard let channel = query.channel, let state = query.state, state != .error else {
            return try await page(query.scope, query)
        }
        // No index covers both: the channel's part of the outbox is searched, up to a bound.
        var found: [MessageDTO] = []
        var query = query
        // Usually the first few messages match; each further read is larger.
        var step = query.range.limit
        for _ in 0..<ControlServerLimits.looksPerPageMax {
            let page = try await page(.undelivered(in: channel), query, limit: step)
            step = min(step * 4, Limits.pageSizeMax)
            for (index, message) in page.messages.enumerated() where message.state == state.rawValue {
                found.append(message)
                guard found.count == query.range.limit else { continue }
                let isLast = index == page.messages.count - 1
                let mark = isLast ? page.next : PageCursor(MessageCursor(position: .max, ordinal: message.ordinal))
                return MessageListResponse(found, next: mark?.cursor)
            }
            guard let next = page.next else { return MessageListResponse(found, next: nil) }
            query.range.after = next
        }
        return MessageListResponse(found, next: query.range.after?.cursor)
    }

    private func page(
        _ scope: OperationQuery.Scope, _ query: OutboxQuery, limit: Int? = nil
    ) async throws(ControlError) -> MessageListResponse {
        let page = try await asked { () throws(ClientError) in
            try await client.messages.outbox(
                OperationQuery(
                    scope: scope, direction: query.newestFirst ? .descending : .ascending,
                    after: query.range.after?.cursor, limit: limit ?? query.range.limit))
        }
        return MessageListResponse(
            page.items.map { MessageDTO($0.operation, wait: $0.wait) }, next: page.next)
    }
}

extension OutboxQuery {
    fileprivate var scope: OperationQuery.Scope {
        switch (state, channel) {
        case (.error, _): .failed(in: channel)
        case (let state?, _): .pending(state)
        case (nil, _): .undelivered(in: channel)
        }
    }
}
