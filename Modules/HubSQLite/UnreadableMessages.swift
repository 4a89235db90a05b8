internal import Logging
internal import Synchronization

/// Messages whose rows were found to be damaged. Each is logged once, however often it is left out of a response.
///
/// Safe for concurrent calls.
struct UnreadableMessages: ~Copyable, Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    var count: Int { numbers.withLock { $0.count } }

    /// - Parameter number: the message's number in the database; beyond ``SQLiteHubLimits/unreadableMessagesMax`` of
    ///   them, no further ones are noted.
    func note(_ number: Int64, _ reason: String, _ logger: Logger?) {
        let isNew = numbers.withLock { numbers in
            numbers.count < SQLiteHubLimits.unreadableMessagesMax && numbers.insert(number).inserted
        }
        guard isNew else { return }
        logger?.error(
            "message left out: its row is damaged; restore a backup to repair it",
            metadata: ["message": "\(number)", "reason": "\(reason)"])
    }
}
