package import CausewayModels

/// The channels of a hub.
package protocol ChannelStorage: Sendable {
    /// Returns the channel; `nil` when there is none with this name.
    func channel(_ id: ChannelID) async throws(HubStorageError) -> Channel?

    /// Returns all channels by name; at most ``HubStorageLimits/channelsMax``.
    func channels() async throws(HubStorageError) -> [Channel]

    /// Creates a channel unless it exists. Its positions begin above the floor of the present history.
    ///
    /// A channel that exists is returned without waiting for a writer.
    ///
    /// - Parameter creator: the number of the requesting account; `nil` for the hub's operator, who is not limited.
    /// - Returns: the channel, and whether this call created it.
    /// - Throws: `tooMany`.
    func addChannel(
        _ id: ChannelID, creator: Int64?, at time: Timestamp
    ) async throws(HubStorageError) -> (channel: Channel, isNew: Bool)

    /// Removes a channel that never had a message; one that had messages is kept for ever, with its positions.
    ///
    /// - Throws: `unknownChannel`, `channelInUse`.
    func removeChannel(_ id: ChannelID) async throws(HubStorageError)
}
