internal import CausewayStorage
internal import CausewaySystem
import Synchronization

/// The removal of references, and of blobs that none holds any longer. Blocking.
extension BlobFolder {
    /// The files that lost their names, and the first failure.
    private struct Removal {
        /// The paths of the files to remove.
        var unheld: [String] = []
        var problem: BlobError?
    }

    /// Removes everything that the references hold; while nothing may be removed, notes that they are due. Where one
    /// cannot be removed, the others are removed all the same.
    ///
    /// - Parameter onlyDue: whether references are kept that were added again since they became due.
    func release(_ keys: [BlobIndex.Key], onlyDue: Bool = false) throws(BlobError) {
        var problem: BlobError?
        for key in keys {
            let removal = try state.withLock { state throws(BlobError) -> Removal in
                guard !state.isClosed else { throw .closed }
                if onlyDue, !state.deferred.contains(key) { return Removal() }
                if state.holdsCount > 0 {
                    state.deferred.insert(key)
                    return Removal()
                }
                state.deferred.remove(key)
                var removal = Removal()
                for sha256 in state.index.blobs(heldBy: key) { remove(sha256, key, &state, &removal) }
                return removal
            }
            problem = problem ?? removal.problem
            free(removal)
        }
        if let problem { throw problem }
    }

    /// Removes the reference of a copy that failed, also while nothing else may be removed.
    func release(_ sha256: String, _ key: BlobIndex.Key) throws(BlobError) {
        let removal = state.withLock { state in
            var removal = Removal()
            remove(sha256, key, &state, &removal)
            return removal
        }
        free(removal)
        if let problem = removal.problem { throw problem }
    }

    private func remove(_ sha256: String, _ key: BlobIndex.Key, _ state: inout State, _ removal: inout Removal) {
        let reference = file(BlobFileName.reference(sha256, key))
        state.index.release(sha256, key)
        do throws(SystemError) { try FileSystem.removeIfPresent(reference) } catch {
            removal.problem = removal.problem ?? Self.failure(error, at: reference)
            return
        }
        if let unheld = moveAside(sha256, &state) { removal.unheld.append(unheld) }
    }

    /// Removes files without a name. The bytes of a large one take a while to free.
    private func free(_ removal: Removal) {
        for path in removal.unheld { try? FileSystem.removeIfPresent(path) }
    }

    /// Takes the name from a blob that nothing holds, so that the same file can be added again meanwhile.
    ///
    /// - Returns: the path of the file to remove.
    private func moveAside(_ sha256: String, _ state: inout State) -> String? {
        guard state.index.size(of: sha256) == nil else { return nil }
        state.lastNumber += 1
        let aside = file(BlobFileName.incomplete(state.lastNumber))
        do throws(SystemError) {
            try FileSystem.rename(file(BlobFileName.blob(sha256)), to: aside)
            return aside
        } catch {
            // The next opening removes it.
            return nil
        }
    }
}
