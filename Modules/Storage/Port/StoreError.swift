public import CausewayModels

/// An error of a store. None of them loses data.
public enum StoreError: Error, Sendable, Hashable {
    /// Another process has the store open; `by` is its process id, `nil` if it is unknown.
    case locked(by: Int32?, path: String)
    /// Written by a newer version, which this one cannot read.
    case newerSchema(version: String, path: String)
    /// The folder or a file cannot be read or written.
    case notAccessible(path: String, detail: String)
    /// The disk is full.
    case full(detail: String)
    /// The disk failed to confirm a write; the store is closed until it has been verified.
    case syncFailed(detail: String)
    /// The file is damaged; nothing was overwritten.
    case damaged(path: String, detail: String)
    /// The outbox has reached its limit.
    case outboxFull(messages: Int, bytes: Int)
    /// A message with this id already exists.
    case duplicate(MessageID)
    /// Another account is logged in by now; the draft was refused.
    case otherAccount(Account)
    /// The store was closed.
    case closed
    /// Any other error, with the description from the layer below.
    case other(detail: String)
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .locked(let pid, let path):
            "the store \(path) is in use by " + (pid.map { "process \($0)" } ?? "another process")
                + "; use its control socket, or stop it"
        case .newerSchema(let version, let path):
            "the store \(path) was written by a newer version (\(version)); upgrade this program"
        case .notAccessible(let path, let detail):
            "cannot use \(path): \(detail); check that the folder exists and is writable"
        case .full(let detail): "the disk is full (\(detail)); free some space and try again"
        case .syncFailed(let detail): "the disk did not confirm a write (\(detail)); nothing was acknowledged"
        case .damaged(let path, let detail):
            "the store \(path) is damaged (\(detail)); nothing was overwritten; restore a backup, or move the folder "
                + "away to begin anew"
        case .outboxFull(let messages, let bytes):
            "the outbox is full (\(messages) messages, \(bytes) bytes); deliver or delete some first"
        case .duplicate(let id): "message \(id) exists already"
        case .otherAccount(let account): "\(account) is no longer logged in; log in and try again"
        case .closed: "the store is closed"
        case .other(let detail): "the store failed: \(detail)"
        }
    }
}
