import Causeway
import SwiftUI

/// The state of the connection and of the outbox, above the list of conversations.
struct AccountScreen: View {
    let client: CausewayClient
    let channels: [ChannelID]
    @State private var status: SyncStatus?

    var body: some View {
        VStack {
            if let status { Text(Self.text(of: status)) }
            List {
                ForEach(channels, id: \.value) { channel in
                    NavigationLink(channel.value) { ConversationScreen(client: client, channel: channel) }
                }
            }
            Button("Delete what could not be sent") {
                Task { try? await client.messages.deleteFailedMessages() }
            }
        }
        .task {
            for await status in client.liveStatus() { self.status = status }
        }
    }

    private static func text(of status: SyncStatus) -> String {
        let waiting = status.counts.undelivered
        return waiting == 0 ? "everything is sent" : "\(waiting) waiting, \(status.counts.error) failed"
    }
}
