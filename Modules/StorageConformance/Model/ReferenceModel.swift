import CausewayModels
import CausewayStorage

/// What a store should hold: the port's words, said once more in the plainest way, with no index and no disk.
///
/// Numbers are the store's to choose. Where it hands out new ones the model has a gap, and ``adopt(from:)`` fills it
/// after holding the number against those handed out before.
struct ReferenceModel {
    private static let gap = Int64.min

    var messages: [MessageID: Message] = [:]
    var controls: [ControlEntry] = []
    var lastTransmitted: [LaneID: Int64] = [:]
    var session: Session?
    /// Newest last.
    var deletions: [DeleteAction] = []
    var epoch: Int64 = 0
    /// The number above which the next ones must lie.
    var highest: Int64 = 0
    /// What the commit at work raises `highest` to: it holds from the next commit on.
    private var mark: Int64 = 0

    // MARK: What happens

    mutating func begin(_ opening: StoreOpening) {
        epoch += 1
        switch opening.restart {
        case .fail:
            endSession(opening.failure)
        case .resume:
            for id in messages.keys where isQueued(id) { messages[id]?.syncState = .created }
        }
    }

    mutating func enqueue(_ message: Message) throws {
        try take(message.ordinal, "an ordinal")
        if message.laneSequence != message.ordinal { try take(message.laneSequence, "a lane sequence") }
        messages[message.id] = message
    }

    mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            guard isQueued(id) else { return }
            messages[id]?.syncState = .syncing
            messages[id]?.previousSequence = previous
            messages[id]?.attempts = attempts
            messages[id]?.lastAttemptAt = time
        case .requeue(let id, let attempts):
            guard isQueued(id) else { return }
            messages[id]?.syncState = .created
            messages[id]?.attempts = attempts
            messages[id]?.failure = nil
        case .deliver(let id, let placement):
            place(id, placement)
        case .fail(let id, let failure, let inDoubt):
            guard isUndelivered(id) else { return }
            messages[id]?.syncState = .error
            messages[id]?.failure = failure
            messages[id]?.isInDoubt = inDoubt
        case .settle(let id):
            messages[id]?.isInDoubt = false
        case .resend(let id):
            guard isUndelivered(id) else { return }
            messages[id]?.syncState = .created
            messages[id]?.laneSequence = Self.gap
            messages[id]?.previousSequence = nil
            messages[id]?.attempts = 0
        case .delete(let id):
            messages[id] = nil
        case .merge(let placed):
            merge(placed)
        case .recordDelete(let action):
            var action = action
            action.sequence = Self.gap
            deletions.append(action)
        case .saveSession(let session):
            self.session = session
        case .endSession(let failure):
            endSession(failure)
            for id in messages.keys where messages[id]?.syncState == .error { releaseLane(id) }
        case .forgetAccount:
            controls = []
            lastTransmitted = [:]
            for id in messages.keys where isUndelivered(id) {
                messages[id]?.isInDoubt = false
                messages[id]?.previousSequence = nil
            }
        case .putControl, .appendDelete, .attemptControl, .removeControl, .rebase, .setLastTransmitted,
            .raiseSequence:
            applyToChain(mutation)
        }
    }

    private mutating func applyToChain(_ mutation: Mutation) {
        switch mutation {
        case .putControl(let entry):
            controls.removeAll { $0.sequence == entry.sequence }
            controls.append(entry)
            mark = max(mark, entry.sequence)
        case .appendDelete(let id, let lane):
            controls.append(
                ControlEntry(kind: .delete, lane: lane, sequence: Self.gap, previous: nil, message: id))
        case .removeControl(let sequence):
            controls.removeAll { $0.sequence == sequence }
        case .attemptControl(let sequence, let previous):
            guard let index = controls.firstIndex(where: { $0.sequence == sequence }) else { return }
            controls[index].previous = previous
        case .rebase(let sequence, let previous):
            if let index = controls.firstIndex(where: { $0.sequence == sequence }) {
                controls[index].previous = previous
            } else if let id = messages.values.first(where: { isQueued($0.id) && $0.laneSequence == sequence })?.id {
                messages[id]?.previousSequence = previous
            }
        case .setLastTransmitted(let lane, let sequence):
            lastTransmitted[lane] = sequence
        case .raiseSequence(let mark):
            self.mark = max(self.mark, mark)
        default:
            break
        }
    }

    private mutating func endSession(_ failure: Failure) {
        for message in messages.values where isQueued(message.id) {
            messages[message.id]?.syncState = .error
            messages[message.id]?.failure = failure
            messages[message.id]?.isInDoubt = message.isInDoubt || message.previousSequence != nil
            guard let lane = message.lane, let previous = message.previousSequence else { continue }
            controls.removeAll { $0.sequence == message.laneSequence }
            controls.append(
                ControlEntry(
                    kind: .fence, lane: lane, sequence: message.laneSequence, previous: previous,
                    message: message.id))
        }
    }

    private mutating func releaseLane(_ id: MessageID) {
        guard let old = messages[id]?.failure else { return }
        messages[id]?.failure = Failure(reason: old.reason, code: old.code, detail: old.detail, at: old.at)
    }

    private mutating func merge(_ placed: PlacedMessage) {
        if messages[placed.id] == nil {
            guard !deletions.contains(where: { $0.message == placed.id }) else { return }
            messages[placed.id] = Message(
                id: placed.id, channel: placed.channel, sender: placed.sender, content: placed.content,
                createdAt: placed.createdAt, ordinal: Self.gap, lane: nil, laneSequence: 0)
        }
        messages[placed.id]?.content = placed.content
        place(placed.id, placed.placement)
    }

    private mutating func place(_ id: MessageID, _ placement: Placement) {
        messages[id]?.syncState = .synced
        messages[id]?.placement = placement
        messages[id]?.failure = nil
        messages[id]?.isInDoubt = false
    }

    private func isUndelivered(_ id: MessageID) -> Bool {
        guard let message = messages[id] else { return false }
        return message.syncState != .synced
    }

    private func isQueued(_ id: MessageID) -> Bool {
        isUndelivered(id) && messages[id]?.syncState != .error
    }

    // MARK: Numbers

    /// Takes over the numbers that the store handed out in its last commit.
    mutating func adopt(from store: any Store) async throws {
        var fresh: [Int64] = []
        for (id, message) in messages {
            guard message.ordinal == Self.gap || message.laneSequence == Self.gap else { continue }
            guard let found = try await store.message(id) else {
                throw ConformanceFailure(detail: "message \(id) is missing", file: #fileID, line: #line)
            }
            if message.ordinal == Self.gap {
                messages[id] = message.with(ordinal: found.ordinal)
                fresh.append(found.ordinal)
            }
            if message.laneSequence == Self.gap {
                messages[id]?.laneSequence = found.laneSequence
                fresh.append(found.laneSequence)
            }
        }
        let appended = controls.indices.filter { controls[$0].sequence == Self.gap }
        if !appended.isEmpty {
            let known = Set(controls.map(\.sequence))
            let found = try await store.outbox().entries.filter { $0.kind == .delete && !known.contains($0.sequence) }
            try requireEqual(found.map(\.message), appended.map { controls[$0].message }, "deletions in the outbox")
            for (index, entry) in zip(appended, found) { controls[index].sequence = entry.sequence }
            fresh += found.map(\.sequence)
        }
        let recorded = deletions.indices.filter { deletions[$0].sequence == Self.gap }
        if !recorded.isEmpty {
            let found = try await store.deleteActions(before: nil, limit: recorded.count).reversed()
            for (index, action) in zip(recorded, found) { deletions[index].sequence = action.sequence }
            fresh += found.map(\.sequence)
        }
        for number in fresh.sorted() { try take(number, "a number") }
        highest = max(highest, mark)
    }

    private mutating func take(_ number: Int64, _ what: String) throws {
        try require(number > highest, "\(what) that was handed out before: \(number), after \(highest)")
        highest = number
    }
}

extension Message {
    fileprivate func with(ordinal: Int64) -> Message {
        Message(
            id: id, channel: channel, sender: sender, content: content, createdAt: createdAt, ordinal: ordinal,
            lane: lane, laneSequence: laneSequence, syncState: syncState, failure: failure, isInDoubt: isInDoubt,
            placement: placement, attempts: attempts, lastAttemptAt: lastAttemptAt,
            previousSequence: previousSequence)
    }
}
