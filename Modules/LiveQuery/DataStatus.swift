/// The origin of the data of a live object or collection, with the documented raw values.
public enum DataStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nothing is stored here, and the server has not responded yet (or has nothing either, for an object).
    case notExist = 0
    /// The data are stored here; the server has not responded yet.
    case local = 1
    /// The data are those of the server. Data that the server does not have (the outbox, past deletions) are fresh at
    /// once.
    case fresh = 2
    /// There are no data: they could not be read, or the object or collection was disposed of.
    case error = 3
}

/// The progress of loading, with the documented raw values. A new object or collection is ``loading``.
public enum LoadingStatus: Int, Sendable, Hashable, CaseIterable {
    /// The stored data are fresh already, so the server is not asked: another object or collection has just loaded
    /// them, or they exist only here.
    case notLoading = 0
    /// The store or the server is being asked.
    case loading = 1
    /// The server has responded.
    case loaded = 2
    /// The store or the server could not be asked; earlier data remain.
    case error = 3
}
