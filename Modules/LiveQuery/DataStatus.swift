/// The origin of the data of a live object or collection.
public enum DataStatus: Sendable, Hashable, CaseIterable {
    /// Nothing is stored here, and the server has not responded yet (or has nothing either, for an object).
    case notExist
    /// The data are stored here; the server has not responded yet.
    case local
    /// The data are those of the server. Data that the server does not have (the outbox, past deletions) are fresh at
    /// once.
    case fresh
    /// There are no data: they could not be read, or the object or collection was disposed of.
    case error
}

/// The progress of loading.
public enum LoadingStatus: Sendable, Hashable, CaseIterable {
    case notLoading
    /// The store or the server is being asked.
    case loading
    /// Both have responded.
    case loaded
    /// One of them could not be asked; earlier data remain.
    case error
}
