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
    package func run() async throws {
        var isFirst = true
        for await change in client.messages.messageChanges(in: channel) where change.dataStatus == .fresh {
            // The first list has been there before.
            let arrived = isFirst ? [] : change.insertions.map { change.snapshot[$0] }
            isFirst = false
            for message in arrived { try await answer(message) }
        }
    }

    private func answer(_ message: Message) async throws {
        guard let text = message.text, text.hasPrefix("echo ") else { return }
        try await client.messages.createTextMessage(String(text.dropFirst(5)), in: channel, parent: message.id)
    }
}
