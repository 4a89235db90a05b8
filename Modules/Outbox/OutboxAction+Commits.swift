import CausewayStorage

extension [OutboxAction] {
    /// The same actions with fewer commits: the mutations with which deliveries and uploads begin are committed with
    /// the commit before them, or with the first of several that begin together.
    ///
    /// A response and the next batch then wait for the disk once, as do the batches of many lanes. Each action still
    /// begins after everything before it is durable; nothing is moved across an action that replaces the outbox, or
    /// across another commit, because its mutations may be decided anew after reading the store.
    ///
    /// Cost: linear in the actions and their mutations for each batch or upload that is joined, of which the limits of
    /// those under way admit a few.
    package func joiningCommits() -> [OutboxAction] {
        var joined: [OutboxAction] = []
        joined.reserveCapacity(count)
        // The action whose commit can take in what follows.
        var open: Int?
        for action in self {
            switch action {
            case .commit: open = joined.endIndex
            case .fork, .follow, .reload: open = nil
            case .transmit, .upload, .cancelUpload, .probe, .complete, .completeAsStored:
                let beginning = action.beginning
                if beginning.isEmpty { break }
                if let open {
                    joined[open].append(beginning)
                    joined.append(action.begun)
                    continue
                }
                open = joined.endIndex
            }
            joined.append(action)
        }
        return joined
    }
}

extension OutboxAction {
    /// The mutations with which a delivery or an upload begins.
    fileprivate var beginning: [Mutation] {
        switch self {
        case .transmit(_, let mutations), .upload(_, let mutations): mutations
        case .commit, .cancelUpload, .fork, .follow, .reload, .probe, .complete, .completeAsStored: []
        }
    }

    /// The same delivery or upload, with nothing left to commit.
    fileprivate var begun: OutboxAction {
        switch self {
        case .transmit(let batch, _): .transmit(batch, [])
        case .upload(let attempt, _): .upload(attempt, [])
        case .commit, .cancelUpload, .fork, .follow, .reload, .probe, .complete, .completeAsStored: self
        }
    }

    /// Adds mutations to those that the action commits.
    fileprivate mutating func append(_ more: [Mutation]) {
        switch self {
        case .commit(let mutations): self = .commit(mutations + more)
        case .transmit(let batch, let mutations): self = .transmit(batch, mutations + more)
        case .upload(let attempt, let mutations): self = .upload(attempt, mutations + more)
        case .cancelUpload, .fork, .follow, .reload, .probe, .complete, .completeAsStored: break
        }
    }
}
