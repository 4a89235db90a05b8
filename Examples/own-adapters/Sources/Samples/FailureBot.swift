package import Causeway

/// Sends failed messages again, except those that the server refused for good: these it deletes.
package struct FailureBot: Sendable {
    let client: CausewayClient

    package init(_ client: CausewayClient) { self.client = client }

    /// Attends to the failed messages until the client is closed or the task is cancelled.
    package func run() async throws {
        for await change in client.messages.failures() {
            for message in change.snapshot { try await attend(to: message) }
        }
    }

    private func attend(to message: Message) async throws {
        do throws(ClientError) {
            switch message.failure?.reason {
            case .refused, .unsendable, .expired: try await client.messages.softDeleteMessage(message.id)
            case .retriesUsedUp, .sessionEnded: try await client.messages.resend(message.id)
            case nil: return
            }
        } catch {
            switch error.code {
            // Someone else was quicker, or the client was closed.
            case .messageNotFound, .notFailed, .closed: return
            // The messages that a session leaves are sent in the next one.
            case .noSession:
                for await status in client.liveStatus() where status.session != nil {
                    return try await attend(to: message)
                }
            default: throw error
            }
        }
    }
}
