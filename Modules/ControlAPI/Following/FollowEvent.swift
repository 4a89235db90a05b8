package import CausewayModels

/// The changes of the followed messages since the previous event, as JSON. Keys are only ever added.
///
/// The list is in reading order, oldest first. Removing ``deleted`` from the previous list, then placing ``inserted``
/// and ``modified`` by ascending index, yields the new list; the first event inserts into an empty list. A message that
/// moves is deleted and inserted.
package struct FollowEvent: Sendable, Hashable, Codable {
    /// A message and its index in the new list.
    package struct Row: Sendable, Hashable, Codable {
        package let index: Int
        package let message: MessageDTO

        package init(index: Int, message: MessageDTO) {
            self.index = index
            self.message = message
        }
    }

    /// A new wait reason of a message that did not change otherwise; absent when the message no longer waits.
    package struct Waiting: Sendable, Hashable, Codable {
        /// The index in the new list.
        package let index: Int
        package let wait: WaitReasonDTO?
        package let waitText: String?

        package init(index: Int, wait reason: WaitReason?) {
            self.index = index
            wait = reason.map(WaitReasonDTO.init)
            waitText = reason?.description
        }
    }

    /// The commit of the store up to which the list is valid.
    package let version: Int64
    /// The number of messages in the new list.
    package let count: Int
    /// Indices in the previous list, ascending.
    package var deleted: [Int] = []
    package var inserted: [Row] = []
    package var modified: [Row] = []
    package var waiting: [Waiting] = []
    /// `notExist`, `local` (the stored state), `fresh` (the server's state) or `error`.
    package let dataStatus: String
    /// `notLoading`, `loading`, `loaded`, `error`.
    package let loadingStatus: String
    /// Why the store or the server could not be read; absent when both could.
    package let problem: String?
    /// The other users who are typing in the channel; absent when there are none.
    package var typing: [UserID]?

    /// An event without changes.
    package init(version: Int64, count: Int, dataStatus: String, loadingStatus: String, problem: String?) {
        self.version = version
        self.count = count
        self.dataStatus = dataStatus
        self.loadingStatus = loadingStatus
        self.problem = problem
    }

    /// True when the event changes neither the list nor a wait reason.
    package var isListUnchanged: Bool {
        deleted.isEmpty && inserted.isEmpty && modified.isEmpty && waiting.isEmpty
    }
}

/// The followed messages: the newest of a channel.
package struct FollowQuery: Sendable, Hashable {
    package var channel: ChannelID
    /// The number of messages at the start, 1 to ``Limits/pageSizeMax``; later ones are added to them.
    package var limit: Int

    package init(channel: ChannelID, limit: Int = Limits.pageSizeDefault) {
        self.channel = channel
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}
