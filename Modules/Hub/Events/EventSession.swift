internal import CausewayHTTPServer
internal import CausewayHubRules
package import CausewayHubStorage
internal import CausewayModels

/// One reader of events, from its request to the end of its response.
package final class EventSession: Sendable {
    private let id: EventSubscriptions.ReaderID
    private let account: UserID
    private let notifier: EventNotifier

    init(id: EventSubscriptions.ReaderID, account: UserID, _ notifier: EventNotifier) {
        self.id = id
        self.account = account
        self.notifier = notifier
    }

    deinit { leave() }

    /// Ends the session before it is released. It must not be used afterwards.
    package func leave() { notifier.leave(id, of: account) }

    /// To be called before reading: a change from then on ends the next wait at once.
    package func prepare(_ storage: any HubStorage) async throws(HubStorageError) {
        guard let generation = try await notifier.prepare(id, storage) else { return }
        let granted = try await TopicRights(of: account).granted(storage)
        notifier.register(granted, of: account, generation: generation)
    }

    /// The changes of ephemeral events after those that the reader has seen, in the channels whose rights were checked
    /// by the last call of ``prepare(_:)``.
    ///
    /// - Returns: `nil` if these rights may have changed since: the next wait ends at once.
    func ephemeral(after seen: EphemeralToken) -> (part: EphemeralBoard.Part, token: EphemeralToken)? {
        notifier.ephemeral(id, after: seen)
    }

    /// Waits for a change.
    ///
    /// - Parameter position: the position that has been read.
    func wait(after position: Int64, until deadline: MonotonicTime) async -> EventNotifier.Wake {
        await notifier.wait(id, after: position, until: deadline)
    }

    /// Waits until a part has left.
    ///
    /// - Returns: false if the reader needs nothing more, which may be before that.
    func wait(for drain: ResponseDrain) async -> Bool { await notifier.wait(id, for: drain) }

    /// Ends a wait, also a later one.
    func end() { notifier.end(id) }
}

/// The topics that an account may read, without its own.
struct GrantedTopics: Sendable {
    var topics: Set<LogTopic> = []
    /// The first channels among them.
    var channels: [ChannelID] = []
}

extension TopicRights {
    /// The topics that the account may read now, by the time of its memberships.
    fileprivate func granted(_ storage: any HubStorage) async throws(HubStorageError) -> GrantedTopics {
        var granted = GrantedTopics()
        var range = RecordRange()
        repeat {
            let page = try await storage.records(
                in: grants, range, limit: PageLimit(count: HubLimits.changedTopicsMax, contentBytes: .max))
            for row in page.rows {
                guard let topic = topic(grantedBy: row.key) else { continue }
                granted.topics.insert(topic)
                guard granted.channels.count < HubLimits.presentChannelsMax, case .channel(let id) = topic else {
                    continue
                }
                granted.channels.append(id)
            }
            range.after = page.next
        } while range.after != nil
        return granted
    }
}
