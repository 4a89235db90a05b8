/// Where the data of a live object or collection come from.
public enum DataStatus: Sendable, Hashable, CaseIterable {
    /// Nothing is stored here, and the server has not answered yet (or has nothing either, for an object).
    case notExist
    /// What is stored here; the server has not answered yet.
    case local
    /// As the server has it. What the server has no say in (the outbox, past deletions) is fresh at once.
    case fresh
    /// There are no data: they could not be read, or it was disposed of.
    case error
}

/// How far loading has come.
public enum LoadingStatus: Sendable, Hashable, CaseIterable {
    case notLoading
    /// The store or the server is being asked.
    case loading
    /// Both have answered.
    case loaded
    /// One of them could not be asked; data that were there before stay.
    case error
}
