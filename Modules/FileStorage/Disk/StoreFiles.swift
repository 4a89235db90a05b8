import CausewayStorage
import CausewaySystem

/// The names of a store's files, and the errors of its disk in the terms of the port.
struct StoreFiles: Sendable {
    static let snapshot = "snapshot"
    /// A snapshot that is being written.
    static let newSnapshot = "snapshot.new"
    /// See ``JournalEnd``.
    static let journalEnd = "journal.end"
    /// The file of the other store on disk: both never share a folder.
    static let database = "store.sqlite"
    private static let journalPrefix = "journal-"

    let folder: String

    /// The name of a journal file: its number as 16 hexadecimal digits.
    static func journal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return journalPrefix + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number of a journal file; `nil` for another name.
    static func journalNumber(_ name: String) -> UInt32? {
        guard name.hasPrefix(journalPrefix), name.utf8.count == journalPrefix.utf8.count + 16,
            let number = UInt32(name.dropFirst(journalPrefix.utf8.count), radix: 16), journal(number) == name
        else { return nil }
        return number
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func failure(_ error: SystemError, at name: String) -> StoreError {
        error.isFull
            ? .full(detail: "\(path(name)): \(error)")
            : .notAccessible(path: path(name), detail: error.description)
    }

    func syncFailure(_ error: SystemError, at name: String) -> StoreError {
        error.isFull ? .full(detail: "\(path(name)): \(error)") : .syncFailed(detail: "\(path(name)): \(error)")
    }

    func damage(_ name: String, at offset: Int64, _ detail: String) -> StoreError {
        .damaged(path: path(name), detail: "\(detail) at byte \(offset)")
    }
}
