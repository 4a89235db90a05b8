/// What became of the messages that are followed since the event before, as JSON. Keys are only ever added.
///
/// The list is in the order in which a conversation is read, the oldest first. Taking ``deleted`` out of the list
/// before, and then putting in ``inserted`` and ``modified`` by ascending index, gives the list after; the first
/// event inserts into an empty list. A message that goes to another place is deleted and inserted.
package struct FollowEvent: Sendable, Hashable, Codable {
    /// A message and its place in the list after.
    package struct Row: Sendable, Hashable, Codable {
        package let index: Int
        package let message: MessageForm
    }

    /// Why a message waits that did not change otherwise: absent when it no longer does.
    package struct Waiting: Sendable, Hashable, Codable {
        /// Its place in the list after.
        package let index: Int
        package let wait: WaitForm?
        package let waitText: String?
    }

    /// The commit of the store up to which the list holds.
    package let version: Int64
    /// How many messages the list has after.
    package let count: Int
    /// Places in the list before, ascending.
    package var deleted: [Int] = []
    package var inserted: [Row] = []
    package var modified: [Row] = []
    package var waiting: [Waiting] = []
    /// `notExist`, `local` (what is stored here), `fresh` (as the server has it), `error`.
    package let dataStatus: String
    /// `notLoading`, `loading`, `loaded`, `error`.
    package let loadingStatus: String
    /// Why the store or the server could not be asked; absent when both could.
    package let problem: String?

    /// True when the list is what it was.
    package var isListUnchanged: Bool {
        deleted.isEmpty && inserted.isEmpty && modified.isEmpty && waiting.isEmpty
    }
}
