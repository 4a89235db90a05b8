/// Pages of a query that is followed without a collection, in any task. A request for a page that is being loaded
/// already joins it.
extension LiveChanges {
    /// Widens the window by a page after its last record, requesting it from the server if necessary, and waits until
    /// the records are published; the iterators return them as a change.
    ///
    /// Throws `CancellationError` if the calling task is cancelled, which does not end the request, and otherwise a
    /// `ClientError`: the reason why the server or the store could not be asked (stored records may have been added
    /// then), `windowFull` if there are as many records as there may be, and `closed` after the end of the query.
    ///
    /// - Returns: the number of records that the page added; 0 if there is none, as far as is known.
    @discardableResult
    public func nextPage() async throws -> Int { try await lifetime.result(of: .next) }

    /// Widens the window by a page before its first record; otherwise like ``nextPage()``.
    @discardableResult
    public func previousPage() async throws -> Int { try await lifetime.result(of: .previous) }

    /// Asks the server again for the range of the window, and waits until its response is published. Throws like
    /// ``nextPage()``.
    public func refresh() async throws { _ = try await lifetime.result(of: .refresh) }
}

extension LiveLifetime {
    fileprivate func result(of page: LivePageJob) async throws -> Int {
        let result = PageResult()
        turn(page, result)
        return try await result.value()
    }
}
