import Causeway
import SwiftUI

/// A conversation: the newest messages at the bottom, older ones on demand, and a field for a new one.
struct ConversationScreen: View {
    let client: CausewayClient
    let channel: ChannelID
    /// Made when the screen appears, not whenever the view is described: a live collection begins with its creation.
    @State private var messages: LiveCollection<Message>?
    @State private var draft = ""

    var body: some View {
        VStack {
            if let messages { MessageList(messages: messages, client: client) }
            HStack {
                TextField("Message", text: $draft)
                Button("Send", action: send).disabled(draft.isEmpty)
            }
        }
        .task {
            let options = MessageQueryOptions(
                channel: channel, sort: .firstCreated, start: .last, messageParentFilter: .noParent)
            messages = client.messages.getMessages(options: options)
        }
    }

    /// The message is in the list at once, and is sent as soon as the server can be reached.
    private func send() {
        client.messages.createTextMessage(draft, in: channel) { _ in }
        draft = ""
    }
}

/// The messages of a live collection. It is observable: a view that reads its properties is drawn again when they
/// change.
struct MessageList: View {
    let messages: LiveCollection<Message>
    let client: CausewayClient

    var body: some View {
        VStack {
            if messages.isLoading, messages.count == 0 { ProgressView() }
            if let error = messages.error { Text(error.description) }
            List {
                if messages.hasPrevious {
                    Button("Show older messages") { Task { try? await messages.previousPage() } }
                }
                ForEach(messages.snapshots) { MessageRow(message: $0, client: client) }
            }
        }
        .refreshable { try? await messages.refresh() }
    }
}

/// A message with the state of its delivery. A failed one can be sent again or deleted.
struct MessageRow: View {
    let message: Message
    let client: CausewayClient

    var body: some View {
        HStack {
            Text(message.text ?? message.type.name)
            switch message.syncState {
            case .synced: Text("✓")
            case .created, .uploading, .syncing: ProgressView()
            case .error:
                Text(message.failure?.detail ?? "not sent")
                Button("Send again") { Task { try? await client.messages.resend(message.id) } }
                Button("Delete") { Task { try? await client.messages.softDeleteMessage(message.id) } }
            }
        }
    }
}
