package import Causeway

/// Repeats every text that begins with `echo `, as a reply. A program without a screen: it needs no main actor.
package struct EchoBot: Sendable {
    let client: CausewayClient
    let channel: ChannelID

    package init(_ client: CausewayClient, in channel: ChannelID) {
        self.client = client
        self.channel = channel
    }

    /// Answers the messages that arrive from now on, until the client is closed or the task is cancelled.
    package func run() async throws { try await run(on: client.messages.messageChanges(in: channel)) }

    /// The same for given changes of the channel: a test can hand them out one by one.
    package func run(on changes: some AsyncSequence<LiveCollectionChange<Message>, Never>) async throws {
        // Up to the first fresh list the messages have been there before. From then on every insertion counts, whatever
        // the status: while the server cannot be reached, or other messages are still missing, the list is not fresh.
        var hasBegun = false
        for await change in changes {
            if hasBegun {
                for index in change.insertions { try await answer(change.snapshot[index]) }
            }
            hasBegun = hasBegun || change.dataStatus == .fresh
        }
    }

    private func answer(_ message: Message) async throws {
        guard let text = message.text, text.hasPrefix("echo ") else { return }
        do throws(ClientError) {
            try await client.messages.createTextMessage(String(text.dropFirst(5)), in: channel, parent: message.id)
        } catch {
            if error != .closed { throw error }
        }
    }
}
