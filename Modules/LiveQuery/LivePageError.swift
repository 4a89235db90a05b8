/// The reason why a page of a live collection could not be loaded, if it was neither the store nor the server. Callers
/// see what the engine's mapping makes of it.
package enum LivePageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The collection holds as many records as it may; those beyond can be reached with another query, such as one that
    /// is anchored at the last of them.
    case windowFull(recordsMax: Int)
    /// The object or collection was disposed of.
    case disposed

    package var description: String {
        switch self {
        case .windowFull(let recordsMax):
            "the collection is full: it shows at most \(recordsMax) records; query from a later record"
        case .disposed: "the object or collection was disposed of"
        }
    }
}
