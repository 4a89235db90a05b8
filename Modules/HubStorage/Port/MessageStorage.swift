package import CausewayModels

/// The stored messages, for reading. They change only through ``DeliveryStorage``.
package protocol MessageStorage: Sendable {
    /// Looks up one message.
    ///
    /// - Parameter reader: the number of the account whose own reactions are marked.
    func message(_ id: MessageID, for reader: Int64) async throws(HubStorageError) -> MessageLookUp

    /// Returns a page of a channel's messages that satisfy a filter; an empty one for a channel that never had any.
    ///
    /// A deleted message has the type and the parent that it had, and no tags.
    ///
    /// Cost: the size of the page, not of the channel. With a filter at most
    /// ``HubStorageLimits/messagesExaminedMax`` messages are examined, and as many deleted ones; a page that ends there
    /// names the last of them (``MessagePage/lastExamined``).
    ///
    /// - Parameter includesDeleted: true for a page that also lists deleted messages, in their places.
    func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> MessagePage

    /// Returns the changes of a part of a channel since an earlier state; none for a channel that never
    /// had a message.
    ///
    /// Cost: the number of changes, up to the limit, at any position.
    func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> ChannelChanges
}

extension MessageStorage {
    /// Returns a page of all messages of a channel.
    package func page(
        of channel: ChannelID, _ range: MessageRange, limit: PageLimit, for reader: Int64
    ) async throws(HubStorageError) -> MessagePage {
        try await page(
            of: channel, range, matching: MessageFilter(), includesDeleted: false, limit: limit, for: reader)
    }
}

/// The bounds of a page.
package struct PageLimit: Sendable, Hashable {
    /// Messages or records.
    package var count: Int
    /// Bytes of the contents together, and in the log of the events that they become. A page ends with the item that
    /// exceeds them; one of the log before it.
    package var contentBytes: Int

    package init(count: Int, contentBytes: Int) {
        self.count = count
        self.contentBytes = contentBytes
    }
}
