package import CausewayModels
import CausewayOutbox
import CausewayRuntime
import CausewayStorage
package import CausewayTransport

/// Reading pages of a channel from the server.
///
/// A page is compared with the part of the channel that it covers: a stored message in that range that satisfies the
/// filter of the request, and that the page neither lists nor reports as unreadable, was deleted on the server, and is
/// deleted here. A deleted message never reappears on the server, so a page that was requested earlier, or at the same
/// time, restores no message that another page showed to be deleted.
///
/// Nor does a page remove a message that was delivered from here, or arrived otherwise, since the page was requested:
/// it may be newer than the page; and the server may have been reset to an earlier state between the two responses, and
/// the page may have been requested without enough knowledge to detect that. If the page covers the position of such a
/// message, the two responses contradict each other, and lists of the channel request it again. So they do if the page
/// lists a message that was not stored when another page showed it to be deleted; it is not stored then.
///
/// A page chosen by tags removes nothing by itself: the tags that are stored here may not be those of the server, which
/// ignored them before it was updated, or sent them to a version of this client that did. The part of the channel in
/// which a message is missing is read without the filter instead, which decides, and corrects the tags.
///
/// The tombstones of a page are stored with its last step, after the messages themselves were deleted here: they
/// replace those that the store made.
extension SyncEngine {
    /// Requests a page of a channel from the server and merges it into the store.
    ///
    /// - Parameters:
    ///   - isAskedAgain: true for a caller that repeats the request when notified that the server can be reached: with
    ///     nothing to send, nothing else probes it.
    ///   - willStore: called immediately before the store is written.
    /// - Returns: the page; its messages are stored by then, and the feed has reported them.
    @discardableResult
    package func refresh(
        _ query: RemoteQuery, isAskedAgain: Bool = false, willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) -> RemotePage {
        let (transport, asked) = try connected()
        let number = beginPage()
        defer { pagesUnderWay[number] = nil }
        var query = query
        query.history = history
        let page: RemotePage
        do throws(TransportError) {
            page = try await transport.messages(query)
            // Treated as the end of the channel, it would hide all existing messages.
            if page.items.isEmpty, page.hasMore, page.range?.isEmpty != false {
                throw .inDoubt(detail: "the server reports more messages and returned none")
            }
        } catch {
            if isAskedAgain, session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        let stored = try await requestStoring(
            isAskedAgain: isAskedAgain
        ) { [query] engine -> Result<RemotePage, SyncError> in
            // Data requested in another session must not be used in this one.
            guard engine.session?.id == asked else { return .failure(.noSession) }
            // Messages that a reset server does not list were not deleted.
            guard engine.admit(page.history, named: query.history) else {
                let error = TransportError.historyChanged(detail: "the server's data has been replaced")
                if isAskedAgain { engine.missedPage(error) }
                return .failure(.transport(error))
            }
            guard !page.items.isEmpty || !page.deleted.isEmpty || page.coveredRange(of: query)?.isEmpty == false else {
                return .success(page)
            }
            do throws(StoreError) {
                try await engine.merge(page, of: query, number, willStore)
            } catch {
                return .failure(.store(error))
            }
            return .success(page)
        }
        if query.filter.choosesByTags { try await readUnlisted(page, of: query, isAskedAgain, willStore) }
        return stored
    }

    /// Reads the parts of a page's range again, without its filter, in which stored messages should have been listed;
    /// at most ``SyncLimits/unlistedPagesMax`` of them, so that a later page continues.
    private func readUnlisted(
        _ page: RemotePage, of query: RemoteQuery, _ isAskedAgain: Bool, _ willStore: @escaping @Sendable () -> Void
    ) async throws(SyncError) {
        guard let range = page.coveredRange(of: query) else { return }
        let listed = Set(page.items.map(\.id))
        var cursor: MessageQuery.Cursor? = MessageQuery.Cursor(position: range.lowerBound - 1, ordinal: .max)
        var pages = 0
        while let after = cursor {
            let step: (messages: [Message], next: MessageQuery.Cursor?)
            do throws(StoreError) {
                step = try await unlisted(by: page, listed, of: query, in: range, after: after)
            } catch {
                if isAskedAgain { missedPage(error) }
                throw .store(error)
            }
            guard let first = step.messages.first?.cursor.position else {
                cursor = step.next
                continue
            }
            pages += 1
            let around = RemoteQuery(
                channel: query.channel, range: .after(position: first - 1), limit: SyncLimits.unlistedPageSize)
            let found = try await refresh(around, isAskedAgain: isAskedAgain, willStore: willStore)
            guard pages < SyncLimits.unlistedPagesMax, let end = found.range?.upperBound, end > first, found.hasMore
            else { return }
            cursor = MessageQuery.Cursor(position: end - 1, ordinal: .max)
        }
    }

    /// Stores what the server returned, as an input of the engine. Data that the store does not take, or that arrives
    /// while the store is in trouble, counts as missed.
    func requestStoring<Value: Sendable>(
        isAskedAgain: Bool = true, _ work: @escaping @Sendable (isolated SyncEngine) async -> Result<Value, SyncError>
    ) async throws(SyncError) -> Value {
        do throws(SyncError) {
            return try await request(work)
        } catch {
            if isAskedAgain, case .store(let problem) = error { missedPage(problem) }
            throw error
        }
    }

    /// Requests the changes of a part of a channel since it was read, and merges them into the store in one commit. For
    /// callers that repeat the request when notified that the server can be reached.
    ///
    /// - Parameter willStore: called immediately before the store is written.
    /// - Returns: `nil` if pages must be read instead.
    package func refreshChanges(
        _ query: RemoteChangesQuery, willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) -> RemoteChanges? {
        let (transport, asked) = try connected()
        let number = beginPage()
        defer { pagesUnderWay[number] = nil }
        var query = query
        query.history = history
        let changes: RemoteChanges?
        do throws(TransportError) {
            changes = try await transport.changes(query)
        } catch {
            if session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        guard let changes else { return nil }
        return try await requestStoring { [query] engine -> Result<RemoteChanges?, SyncError> in
            guard engine.session?.id == asked else { return .failure(.noSession) }
            guard engine.admit(changes.history, named: query.history) else { return .success(nil) }
            guard !changes.items.isEmpty || !changes.gone.isEmpty else { return .success(changes) }
            do throws(StoreError) {
                try await engine.merge(changes, number, willStore)
            } catch {
                return .failure(.store(error))
            }
            return .success(changes)
        }
    }

    private func merge(
        _ changes: RemoteChanges, _ number: Int, _ willStore: @Sendable () -> Void
    ) async throws(StoreError) {
        let underWay = pagesUnderWay[number] ?? PageUnderWay()
        let gone = underWay.gone.union(changes.gone)
        let items = changes.items.filter { !gone.contains($0.id) && !underWay.isPassedOver($0) }
        let now = clock.wall
        // A message that is not known to be on the server is left to the outbox.
        let deleted = try await store.messages(changes.gone).filter { $0.syncState == .synced }.map(\.id)
        let noted = history  // another response may move it on while the disk is waited for
        willStore()
        try await store.commit(items.map { .merge($0, at: now) } + deleted.map { .delete($0) } + unkeptHistory)
        keptHistory = noted
        noteGone(changes.gone)
        noteArrived(items.map(\.id))
        for channel in Set(changes.items.filter(underWay.isPassedOver).map(\.channel)) {
            tell(.channelContradicted(channel))
        }
        await confirm(items)
    }

    /// Requests one message, of which nothing but the id need be known, and merges it into the store by the rules of a
    /// page that lists it. For callers that repeat the request when notified that the server can be reached.
    ///
    /// A message that the server does not return is left as it is stored: the server may return messages only in pages.
    ///
    /// - Parameter willStore: called immediately before the store is written.
    package func refreshMessage(
        _ id: MessageID, willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) {
        let (transport, asked) = try connected()
        let number = beginPage()
        defer { pagesUnderWay[number] = nil }
        let named = history
        let state: RemoteMessageState
        do throws(TransportError) {
            state = try await transport.message(id, knowing: named)
        } catch {
            if session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        try await requestStoring { engine -> Result<Void, SyncError> in
            if let refusal = engine.refusal(of: state.history, named: named, asked) { return .failure(refusal) }
            guard let message = state.message, message.id == id else { return .success(()) }
            do throws(StoreError) {
                try await engine.merge(message, number, willStore)
            } catch {
                return .failure(.store(error))
            }
            return .success(())
        }
    }

    private func merge(
        _ message: RemoteMessage, _ number: Int, _ willStore: @Sendable () -> Void
    ) async throws(StoreError) {
        // Another response may have shown since that it was deleted.
        guard pagesUnderWay[number]?.gone.contains(message.id) != true else { return }
        if pagesUnderWay[number]?.isPassedOver(message) == true { return tell(.channelContradicted(message.channel)) }
        let noted = history  // another response may move it on while the disk is waited for
        willStore()
        try await store.commit([.merge(message, at: clock.wall)] + unkeptHistory)
        keptHistory = noted
        noteArrived([message.id])
        await confirm([message])
    }

    /// A stored message, for callers that read it before they request it from the server: if it cannot be read, they
    /// repeat that when notified, as with a page.
    package func storedMessage(_ id: MessageID) async throws(SyncError) -> Message? {
        do throws(StoreError) {
            return try await store.message(id)
        } catch {
            missedPage(error)
            throw .store(error)
        }
    }

    /// Asks whether the server still has a message, and deletes it here if it has not. For servers whose pages report
    /// no range, and for callers that repeat the request when notified that the server can be reached. A message that
    /// is not known to be on the server is left to the outbox.
    ///
    /// - Parameter willStore: called immediately before the store is written.
    package func verify(
        _ id: MessageID, willStore: @escaping @Sendable () -> Void = {}
    ) async throws(SyncError) {
        let (transport, asked) = try connected()
        let number = beginPage()
        defer { pagesUnderWay[number] = nil }
        let known = history
        do throws(TransportError) {
            guard try await transport.lookup(id) == nil else { return }
        } catch {
            if session?.id == asked, !Task.isCancelled { missedPage(error) }
            throw cause(of: error, in: asked)
        }
        try await requestStoring { engine -> Result<Void, SyncError> in
            guard engine.session?.id == asked else { return .failure(.noSession) }
            guard engine.isHistoryUnchanged(since: known) else { return .success(()) }
            do throws(StoreError) {
                guard let message = try await engine.store.message(id), message.syncState == .synced,
                    engine.pagesUnderWay[number]?.arrived.contains(id) != true
                else { return .success(()) }
                willStore()
                try await engine.store.commit([.delete(id)])
                engine.noteGone([id])
            } catch {
                return .failure(.store(error))
            }
            return .success(())
        }
    }

    func beginPage(isOfEvents: Bool = false) -> Int {
        lastPage += 1
        pagesUnderWay[lastPage] = PageUnderWay(isOfEvents: isOfEvents)
        return lastPage
    }

    func noteGone(_ ids: [MessageID]) {
        for page in pagesUnderWay.keys { pagesUnderWay[page]?.gone.formUnion(ids) }
    }

    private func noteCovered(_ part: CoveredPart) {
        for (number, page) in pagesUnderWay where !page.isOfEvents { pagesUnderWay[number]?.covered.append(part) }
    }

    /// Records the deliveries of a commit in the pages under way, and the messages that the server no longer has.
    func noteDelivered(_ mutations: [Mutation]) {
        guard !pagesUnderWay.isEmpty else { return }
        noteArrived(mutations.compactMap { if case .deliver(let id, _, at: _) = $0 { id } else { nil } })
        noteGone(mutations.compactMap { if case .delete(let id) = $0 { id } else { nil } })
    }

    func noteArrived(_ ids: [MessageID]) {
        guard !ids.isEmpty else { return }
        for page in pagesUnderWay.keys { pagesUnderWay[page]?.arrived.formUnion(ids) }
    }

    private func merge(
        _ page: RemotePage, of query: RemoteQuery, _ number: Int, _ willStore: @Sendable () -> Void
    ) async throws(StoreError) {
        let underWay = pagesUnderWay[number] ?? PageUnderWay()
        let (gone, arrived) = (underWay.gone, underWay.arrived)
        let range = query.filter.choosesByTags ? nil : page.coveredRange(of: query)
        let items = page.items.filter { !gone.contains($0.id) && !underWay.isPassedOver($0) }
        let now = clock.wall
        var mutations = items.map { Mutation.merge($0, at: now) }
        let listed = Set(page.items.map(\.id))
        var cursor = range.map { MessageQuery.Cursor(position: $0.lowerBound - 1, ordinal: .max) }
        var isContradicted = page.items.contains(where: underWay.isPassedOver)
        // A step may fail after others were stored.
        defer { if isContradicted { tell(.channelContradicted(query.channel)) } }
        repeat {
            let unlisted = try await unlisted(by: page, listed, of: query, in: range, after: cursor)
            let deleted = unlisted.messages.filter { !arrived.contains($0.id) }.map(\.id)
            let noted = history  // another response may move it on while the disk is waited for
            var changes = mutations + deleted.map { .delete($0) } + unkeptHistory
            if unlisted.next == nil { changes += Self.keeping(page.deleted.filter { !arrived.contains($0.id) }) }
            if !changes.isEmpty {
                willStore()
                try await store.commit(changes)
                keptHistory = noted
                noteGone(deleted)
            }
            isContradicted =
                isContradicted
                || unlisted.messages.contains { arrived.contains($0.id) && page.covers($0.cursor.position) }
            if !mutations.isEmpty { noteArrived(items.map(\.id)) }
            // Complete the waiters of stored messages now: the next step may fail.
            if !mutations.isEmpty { await confirm(items) }
            mutations = []
            cursor = unlisted.next
        } while cursor != nil
        if let part = CoveredPart(page, of: query, listed: listed) { noteCovered(part) }
    }

    /// The mutations that store the tombstones of deleted messages.
    static func keeping(_ deleted: [DeletedMessage]) -> [Mutation] {
        deleted.isEmpty ? [] : [.mergeRecords(RecordMerge(deleted.map(\.stored)))]
    }

    /// Confirms messages that the server has, whatever their state here.
    func confirm(_ items: [RemoteMessage]) async {
        // The commit that stored them, or one shortly before it, may have released some of them from parking. The
        // outbox does not know these links yet, so it would ignore the confirmation, and then keep the links for ever.
        if feed.count > 0 { feed.discardSends(of: Set(items.map(\.id))) }
        for item in items {
            await perform(outbox.handle(.confirmed(item.id, item.serverPosition), at: clock))
            // It may have been parked, and sent by another copy of this store: without a slot no event of the outbox
            // completes its waiters.
            waiters.complete(item.id, .delivered(item.serverPosition))
        }
    }

    /// The next stored messages of a range that a page should list and does not, and the position from which to
    /// continue; `nil` at the end of the range.
    ///
    /// - Parameter listed: the ids of the page's messages.
    private func unlisted(
        by page: RemotePage, _ listed: Set<MessageID>, of query: RemoteQuery, in range: Range<Int64>?,
        after cursor: MessageQuery.Cursor?
    ) async throws(StoreError) -> (messages: [Message], next: MessageQuery.Cursor?) {
        guard let range, !range.isEmpty, let cursor else { return ([], nil) }
        let stored = try await store.page(
            MessageQuery(
                scope: .channel(query.channel), direction: .ascending, after: cursor,
                limit: SyncLimits.reconcileStepMax))
        let inside = stored.messages.prefix { $0.cursor.position < range.upperBound }
        let unlisted = inside.filter {
            $0.syncState == .synced && !listed.contains($0.id) && query.filter.admits($0)
                && !page.unreadable.contains($0.cursor.position)
        }
        return (unlisted, inside.count == stored.messages.count ? stored.next : nil)
    }
}

extension RemotePage {
    /// Whether the page lists the message at this position, if the server had one there.
    fileprivate func covers(_ position: Int64) -> Bool { range?.contains(position) == true }

    /// The positions of which the page lists every message. At the newest end it has no limit: a stored message above
    /// the channel's newest position belongs to data that the server has lost.
    fileprivate func coveredRange(of query: RemoteQuery) -> Range<Int64>? {
        guard let range else { return nil }
        let isNewest =
            switch query.range {
            case .newest: true
            case .after: !hasMore
            case .before: false
            }
        return isNewest ? range.lowerBound..<Int64.max : range
    }
}
