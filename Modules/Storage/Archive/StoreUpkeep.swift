/// The work of an operator on a store that is open: copying it, and giving back the room that it no longer needs.
///
/// One work at a time; a second one throws ``StoreError/other(detail:)``. Writers and readers go on meanwhile.
package protocol StoreUpkeep: Sendable {
    /// The unfinished last write of an earlier run that was cut off when the store was opened; `nil` if there was none.
    var tornTail: TornTail? { get }

    /// Copies everything in the store, as of one moment during the call, into an empty folder that exists, with the
    /// files of messages that are not delivered. Durable on return. The copy is a store whose next opening continues
    /// from that moment.
    ///
    /// - Parameter progress: called on any thread, a few times a second at most for each part.
    func copy(to folder: String, progress: @escaping @Sendable (UpkeepProgress) -> Void) async throws(StoreError)

    /// Writes what is still needed anew, and removes the rest.
    func compact(progress: @escaping @Sendable (UpkeepProgress) -> Void) async throws(StoreError)

    /// The bytes of the store's own files; without the files of messages.
    func bytesOnDisk() async throws(StoreError) -> Int64
}

/// The progress of a work: bytes or entries of a total, which may grow during the work.
package struct UpkeepProgress: Sendable, Hashable {
    package var done: Int64
    package var total: Int64

    package init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }
}

/// The remains of a write that a crash cut off. None of it was acknowledged under `durability = full`.
package struct TornTail: Sendable, Hashable {
    /// The file and the offset at which it began.
    package var place: String
    package var bytes: Int64

    package init(place: String, bytes: Int64) {
        self.place = place
        self.bytes = bytes
    }
}
