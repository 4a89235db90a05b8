/// Pages of a collection. A request for a page that is being loaded already joins it, so a list that asks at every
/// scroll event loads one page at a time.
extension LiveCollection {
    /// Widens the window by a page after its last record, requesting it from the server if necessary. Does nothing if
    /// there is none. Returns at once.
    public func nextPage() { if hasNext || isResetting { core.lifetime.turn(.next) } }

    /// Widens the window by a page before its first record. Does nothing if there is none. Returns at once.
    public func previousPage() { if hasPrevious || isResetting { core.lifetime.turn(.previous) } }

    /// Widens the window by a page after its last record, and waits until it is displayed.
    ///
    /// Throws `CancellationError` if the calling task is cancelled, which does not end the request, and otherwise a
    /// `ClientError`: the reason why the server or the store could not be asked (stored records may have been added
    /// then), `windowFull` if there are as many records as there may be, and `closed` after the end of the query.
    ///
    /// - Returns: the number of records that the page added; 0 if there is none, as far as is known.
    @discardableResult
    public func nextPage() async throws -> Int { try await turn(.next) }

    /// Widens the window by a page before its first record, and waits until it is displayed. Throws like
    /// `nextPage()`.
    ///
    /// - Returns: the number of records that the page added; 0 if there is none, as far as is known.
    @discardableResult
    public func previousPage() async throws -> Int { try await turn(.previous) }

    private func turn(_ page: LivePageJob) async throws -> Int {
        await core.ready()
        return try await core.turn(page)
    }

    /// Returns to only the first page, and asks the server for it again. Returns at once.
    public func resetPage() {
        if core.isDisposed { return }
        isResetting = true
        core.lifetime.turn(.reset)
    }

    /// Asks the server again for the displayed range. Returns at once.
    public func refresh() { core.lifetime.turn(.refresh) }

    /// Asks the server again for the displayed range, and waits until its response is displayed. Throws like
    /// `nextPage()`.
    public func refresh() async throws { _ = try await turn(.refresh) }

    /// Repeats the request to the server if it failed; otherwise does nothing. Returns at once.
    public func retry() { core.lifetime.turn(.retry) }
}
