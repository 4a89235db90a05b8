internal import CausewayStorage
internal import CausewaySystem
import Synchronization

/// The removal of references, and of blobs that none holds any longer. Blocking.
extension BlobFolder {
    /// Removes everything that the references hold. Where one cannot be removed, the others are removed all the same.
    func release(_ keys: [BlobIndex.Key]) throws(BlobError) {
        var problem: BlobError?
        for key in keys {
            let held = try state.withLock { state throws(BlobError) in
                guard !state.isClosed else { throw .closed }
                return state.index.blobs(heldBy: key)
            }
            for sha256 in held {
                do throws(BlobError) { try release(sha256, key) } catch { problem = problem ?? error }
            }
        }
        if let problem { throw problem }
    }

    /// Removes a reference to one blob.
    func release(_ sha256: String, _ key: BlobIndex.Key) throws(BlobError) {
        let reference = file(BlobFileName.reference(sha256, key))
        let (unheld, problem) = state.withLock { state in
            state.index.release(sha256, key)
            do throws(SystemError) {
                try FileSystem.removeIfPresent(reference)
                return (moveAside(sha256, &state), BlobError?.none)
            } catch {
                return (nil, Self.failure(error, at: reference))
            }
        }
        // The bytes of a large file take a while to free.
        if let unheld { try? FileSystem.removeIfPresent(unheld) }
        if let problem { throw problem }
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
