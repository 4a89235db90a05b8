import CausewayStorage

extension [OutboxAction] {
    /// The same actions with fewer commits: the mutations with which deliveries and uploads begin are committed with
    /// the commit before them, or with the first of several that begin together.
    ///
    /// A response and the next batch then wait for the disk once, as do the batches of many lanes. Each action still
    /// begins after everything before it is durable; nothing is moved across an action that replaces the outbox, or
    /// across another commit, because its mutations may be decided anew after reading the store.
    ///
    /// Cost: linear.
    package func joiningCommits() -> [OutboxAction] {
        var joined: [OutboxAction] = []
        joined.reserveCapacity(count)
        // The action whose commit can take in what follows.
        var open: Int?
        for action in self {
            switch action {
            case .transmit(let batch, let mutations) where !mutations.isEmpty:
                if let open {
                    joined[open].append(mutations)
                    joined.append(.transmit(batch, []))
                    continue
                }
                open = joined.endIndex
            case .upload(let attempt, let mutations) where !mutations.isEmpty:
                if let open {
                    joined[open].append(mutations)
                    joined.append(.upload(attempt, []))
                    continue
                }
                open = joined.endIndex
            case .commit: open = joined.endIndex
            case .fork, .follow, .reload: open = nil
            case .transmit, .upload, .cancelUpload, .probe, .complete, .completeAsStored: break
            }
            joined.append(action)
        }
        return joined
    }
}

extension OutboxAction {
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
