package import CausewayModels
package import CausewayRuntime
package import CausewayStorage
import Synchronization

/// Removes the files of messages that are no longer in the store, its own and downloaded ones: when a message is
/// removed, and, for what an earlier run left of its own, when the store is opened and when another account becomes the
/// current one.
///
/// **A sweep** compares the references of the current account with its messages. Three things could make it take a
/// file that is needed, and each has its guard: the message is just being created (``creating(_:_:)`` is asked first),
/// the account changed during the comparison (the feed has reported a reset by the time ``Store/settledVersion()``
/// returns, and the sweep begins again), or the store failed (the sweep ends, and removes nothing).
package final class BlobCollector: Sendable {
    private struct State {
        /// Messages whose files are there before they are.
        var creating: [MessageID: Int] = [:]
        /// References of messages that were removed, not released yet. Bounded by ``SyncLimits/blobReleasesMax``: a
        /// sweep covers what does not fit.
        var removed: [BlobReference] = []
        /// Files of removed messages, which may have been downloaded. Bounded like ``removed``; beyond it the cache
        /// removes them when it is full.
        var downloaded: Set<String> = []
        var isSweepDue = true
        /// Resets of the feed so far.
        var resets = 0
        var account: Account?
        var isRunning = false
        var isClosed = false
        var subscription: StoreSubscription?
        var task: RuntimeTask?
        var idleWaiters: [CheckedContinuation<Void, Never>] = []

        var isWorkDue: Bool { isSweepDue || !removed.isEmpty || !downloaded.isEmpty }
    }

    private let store: any Store
    private let blobs: any BlobStore
    private let received: (any ReceivedFiles)?
    private let runtime: any Runtime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: started.
    ///   - blobs: the store's own.
    ///   - received: the store's own, if it has any.
    package init(
        store: any Store, blobs: any BlobStore, received: (any ReceivedFiles)? = nil, runtime: any Runtime
    ) {
        self.store = store
        self.blobs = blobs
        self.received = received
        self.runtime = runtime
    }

    /// Subscribes to the feed, and sweeps.
    ///
    /// - Parameter session: the store's session.
    package func start(session: Session?) {
        let subscription = store.subscribe { [weak self] commit in self?.handle(commit) }
        state.withLock { state in
            if state.account == nil { state.account = session?.account }
            state.subscription = subscription
        }
        wake()
    }

    /// Ends the subscription; what is under way ends by itself.
    package func close() async {
        let subscription = state.withLock { state in
            state.isClosed = true
            defer { state.subscription = nil }
            return state.subscription
        }
        subscription?.cancel()
        await idle()
    }

    /// Performs `body`, which adds the file of a message and creates the message; sweeps leave the message's files
    /// alone meanwhile.
    package func creating<Value, Failure: Error>(
        _ message: MessageID, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        state.withLock { $0.creating[message, default: 0] += 1 }
        defer {
            state.withLock { state in
                let count = state.creating[message, default: 1] - 1
                state.creating[message] = count > 0 ? count : nil
            }
        }
        return try await body()
    }

    /// Returns when nothing is left to remove, or the collector was closed.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isRunning { state.idleWaiters.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Runs on the committing thread.
    private func handle(_ commit: StoreCommit) {
        state.withLock { state in
            if commit.isReset {
                state.resets += 1
                state.isSweepDue = true
            }
            for change in commit.changes {
                switch change {
                case .session(let session): state.account = session.account
                case .message(let before?, nil, _):
                    guard let attachment = before.content.attachment else { continue }
                    if received != nil, state.downloaded.count < SyncLimits.blobReleasesMax {
                        state.downloaded.insert(attachment.sha256)
                    }
                    guard let account = state.account else { continue }
                    if state.removed.count < SyncLimits.blobReleasesMax {
                        state.removed.append(BlobReference(account: account, message: before.id))
                    } else {
                        state.isSweepDue = true
                    }
                default: break
                }
            }
        }
        wake()
    }

    private func wake() {
        let isNeeded = state.withLock { state in
            guard !state.isRunning, !state.isClosed, state.isWorkDue else { return false }
            state.isRunning = true
            return true
        }
        if isNeeded { runtime.spawn { await self.run() } }
    }

    private func run() async {
        while true {
            let (removed, downloaded, isSweepDue) = state.withLock { state in
                defer {
                    state.removed = []
                    state.downloaded = []
                    state.isSweepDue = false
                }
                return state.isClosed ? ([], [], false) : (state.removed, state.downloaded, state.isSweepDue)
            }
            if !removed.isEmpty { try? await blobs.release(removed) }
            if !downloaded.isEmpty { try? await received?.remove(downloaded) }
            if isSweepDue { await sweep() }
            let waiters = state.withLock { state in
                guard state.isClosed || !state.isWorkDue else {
                    return [CheckedContinuation<Void, Never>]?.none
                }
                state.isRunning = false
                defer { state.idleWaiters = [] }
                return state.idleWaiters
            }
            guard let waiters else { continue }
            for waiter in waiters { waiter.resume() }
            return
        }
    }

    /// Releases the references of the current account whose messages do not exist.
    private func sweep() async {
        let resets = state.withLock { $0.resets }
        guard let account = (try? await store.session())?.account,
            let references = try? await blobs.references(of: account)
        else { return }
        state.withLock { if $0.resets == resets { $0.account = account } }
        // After the references were listed: a message that is created from here on is not among them.
        let creating = state.withLock { $0.creating }
        var rest = references.filter { creating[$0.message] == nil }[...]
        while !rest.isEmpty {
            let part = rest.prefix(SyncLimits.blobSweepMessages)
            rest = rest.dropFirst(part.count)
            guard let messages = try? await store.messages(part.map(\.message)),
                (try? await store.settledVersion()) != nil
            else { return }
            // Another account's messages were asked for otherwise. The reset has made another sweep due.
            guard state.withLock({ $0.resets == resets && !$0.isClosed }) else { return }
            let kept = Set(messages.map(\.id))
            let unneeded = part.filter { !kept.contains($0.message) }
            if !unneeded.isEmpty { try? await blobs.release(unneeded) }
        }
    }
}
