package import CausewayModels
package import CausewayRuntime
package import CausewayStorage
import Synchronization

/// Drops the delivered messages that a ``RetentionPolicy`` does not keep: some time after the start, and regularly from
/// then on.
///
/// A channel is read from its oldest message on, up to the first one that is kept, and its messages are dropped in
/// commits of at most ``SyncLimits/retentionStepMax``, which wait for no disk: between two of them every writer has its
/// turn. The store itself keeps what must stay (``Mutation/prune(_:of:)``). Messages that a page of the server stores
/// again are dropped by a later sweep.
package final class RetentionSweeper: Sendable {
    private let store: any Store
    private let policy: RetentionPolicy
    private let runtime: any Runtime
    private let task = Mutex<RuntimeTask?>(nil)

    /// - Returns: `nil` under ``RetentionPolicy/forever``.
    package init?(store: any Store, policy: RetentionPolicy, runtime: any Runtime) {
        if policy == .forever { return nil }
        self.store = store
        self.policy = policy
        self.runtime = runtime
    }

    /// Begins to sweep regularly, until ``close()``.
    package func start() {
        let started = runtime.spawn { [weak self, runtime] in
            var pause = SyncLimits.retentionDelay
            while !Task.isCancelled {
                await runtime.sleep(until: runtime.now + pause)
                guard !Task.isCancelled, let self else { return }
                // A store in trouble is swept next time.
                do throws(StoreError) { try await sweep() } catch {}
                pause = SyncLimits.retentionInterval
            }
        }
        task.withLock { $0 = started }
    }

    package func close() { task.withLock { $0.take() }?.cancel() }

    /// Drops everything that is not kept, of the current account.
    package func sweep() async throws(StoreError) {
        guard let account = try await store.session()?.account else { return }
        let kept = RetentionCutoff.messagesKept(under: policy)
        var channel: ChannelID?
        while let part = try await store.nextChannel(after: channel, keeping: kept), !Task.isCancelled {
            if let cutoff = RetentionCutoff(policy, part, now: runtime.wallClock) {
                try await prune(part.channel, of: account, cutoff)
            }
            channel = part.channel
        }
    }

    private func prune(_ channel: ChannelID, of account: Account, _ cutoff: RetentionCutoff) async throws(StoreError) {
        var query = MessageQuery(scope: .channel(channel), limit: SyncLimits.retentionStepMax)
        while !Task.isCancelled {
            let page = try await store.page(query)
            let dropped = page.messages.prefix { cutoff.drops($0) }
            if !dropped.isEmpty {
                try await store.commit([.prune(dropped.map(\.id), of: account)], durability: .normal)
            }
            guard dropped.count == page.messages.count, let next = page.next else { return }
            query.after = next
        }
    }
}
