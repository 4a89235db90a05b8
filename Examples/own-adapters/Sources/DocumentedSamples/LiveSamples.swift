package import Causeway

/// *Live Objects/Collections* of the documentation.
@MainActor
package final class LiveSamples {
    private let repository: MessageRepository
    /// An observation lasts as long as its token is held.
    private var token: NotificationToken?

    package init(_ client: CausewayClient) { repository = client.messages }

    /// `AmityObject.observe`: the message now, and after each change.
    package func observeMessage(
        _ id: MessageID, show: @escaping @MainActor (Message) -> Void,
        report: @escaping @MainActor (ClientError) -> Void
    ) {
        token = repository.getMessage(id).observe { object, change in
            if let error = change.error { report(error) }
            if let message = object.snapshot { show(message) }
        }
    }

    /// `AmityObject.observeOnce`: the stored message or, without one, the server's.
    package func observeMessageOnce(_ id: MessageID, show: @escaping @MainActor (Message) -> Void) {
        token = repository.getMessage(id).observeOnce { object, _ in
            if let message = object.object { show(message) }
        }
    }

    /// `AmityCollection.observe`, and all objects at once: the simplest table.
    package func observeMessages(in channel: ChannelID, show: @escaping @MainActor ([Message]) -> Void) {
        token = repository.getMessages(in: channel).observe { collection, _ in show(collection.allObjects()) }
    }

    /// `AmityCollection.observe` with `AmityCollectionChange`: a table that animates. The indices belong to the two
    /// snapshots of the change.
    package func observeChanges(
        in channel: ChannelID, delete: @escaping @MainActor (Int) -> Void,
        insert: @escaping @MainActor (Int, Message) -> Void, reload: @escaping @MainActor (Int, Message) -> Void
    ) {
        token = repository.getMessages(in: channel).observe { _, change in
            for index in change.deletions.reversed() { delete(index) }
            for index in change.insertions { insert(index, change.snapshot[index]) }
            for index in change.modifications { reload(index, change.snapshot[index]) }
        }
    }

    /// `invalidate` of `AmityNotificationToken`: the observation ends.
    package func stop() { token?.invalidate() }
}

/// *Pagination* of live collections: the newest messages first, older ones as the user scrolls.
@MainActor
package final class PageSamples {
    private let collection: LiveCollection<Message>

    package init(_ client: CausewayClient, in channel: ChannelID, pageSize: Int) {
        collection = client.messages.getMessages(
            options: MessageQueryOptions(channel: channel, sort: .lastCreated, pageSize: pageSize))
    }

    package var texts: [String] { collection.snapshots.compactMap(\.text) }

    package var isLoading: Bool { collection.isLoading }

    /// `hasNext` and `nextPage`, from a scroll event: returns at once, and one request is made for many events.
    package func scrolledToEnd() {
        if collection.hasNext { collection.nextPage() }
    }

    /// The same for a caller who waits. Returns the number of messages that the page added.
    package func loadNext() async throws -> Int { try await collection.nextPage() }

    /// `resetPage`: the first page alone.
    package func reset() { collection.resetPage() }
}

/// `hasPrevious` and `previousPage`: the newest page at the bottom of the screen, and older ones above it.
@MainActor
package func showOlderMessages(_ client: CausewayClient, in channel: ChannelID) async throws -> [String] {
    let options = MessageQueryOptions(channel: channel, sort: .firstCreated, start: .last, pageSize: 2)
    let collection = client.messages.getMessages(options: options)
    // The first page is there when the server has responded.
    try await collection.refresh()
    while collection.hasPrevious { try await collection.previousPage() }
    return collection.snapshots.compactMap(\.text)
}
