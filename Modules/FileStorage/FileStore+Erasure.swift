import CausewayBlobs
public import CausewayStorage

extension FileStore {
    /// Removes the store in `folder`, of whichever kind it is, with the files of messages and the downloaded ones. Does
    /// nothing if there is none.
    ///
    /// All or nothing: if the process ends in the middle, the folder contains either the whole store, or none to the
    /// one that opens it next. The folder itself remains, with its `lock` and with files that are not the store's, such
    /// as tokens (``CredentialStore/remove(for:)``).
    ///
    /// Throws ``StoreError/locked(by:path:)`` while a process has it open, this one included, and
    /// ``StoreError/notAccessible(path:detail:)`` if a file cannot be removed; the call may be repeated.
    public static func erase(storeAt folder: String) async throws(StoreError) {
        try await StoreErasure.erase(storeAt: folder)
    }
}
