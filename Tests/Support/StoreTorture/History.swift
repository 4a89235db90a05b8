package import CausewayModels
package import CausewayStorage

/// A small history of a store with everything in it: what was acknowledged must be found again.
package struct History: Sendable {
    /// The ids of the messages whose creation was acknowledged, in their order, without those that were deleted.
    package var acknowledged: [MessageID] = []
    /// Messages of which a change was attempted and not acknowledged: either state may be found.
    package var open: Set<MessageID> = []
    /// Positions of messages whose delivery was acknowledged.
    package var delivered: [MessageID: Int64] = [:]
    /// The errors that callers got.
    package var errors: [StoreError] = []

    package init() {}

    package static let channel: ChannelID = {
        guard let channel = ChannelID("general") else { preconditionFailure("it is a name") }
        return channel
    }()
    package static let user: UserID = {
        guard let user = UserID("ada") else { preconditionFailure("it is a name") }
        return user
    }()
    package static let time = Timestamp(milliseconds: 1_000)

    package static func id(_ number: Int) -> MessageID { MessageID(UUIDv7(high: 0x7000, low: UInt64(number) + 1)) }

    package static let options = StartOptions(
        restart: .resume, failure: Failure(reason: .sessionEnded, code: "", detail: "", at: time),
        newOutboxID: OutboxID(UUIDv7(high: 7, low: 7)))

    package static func draft(_ number: Int, bytes: Int = 20) -> MessageDraft {
        MessageDraft(
            id: id(number), channel: channel, sender: user,
            content: .text("message \(number) " + String(repeating: "x", count: bytes)), createdAt: time, lane: .text)
    }

    /// Creates, delivers and deletes; goes on after errors, as a client does.
    ///
    /// - Parameters:
    ///   - hasEvents: whether it also stores what the server sends, without waiting for the disk. That may be lost, and
    ///     must not take anything else with it.
    ///   - beside: called after each message, with its number.
    package mutating func run(
        _ store: any Store, count: Int = 12, hasEvents: Bool = false, beside: (Int) async -> Void = { _ in }
    ) async {
        for number in 0..<count {
            let draft = Self.draft(number, bytes: number.isMultiple(of: 3) ? 300 : 20)
            do throws(StoreError) {
                _ = try await store.enqueue(draft)
                acknowledged.append(draft.id)
            } catch {
                errors.append(error)
                open.insert(draft.id)
                continue
            }
            await advance(store, number)
            if hasEvents {
                try? await store.commit([.setEventCursor(EventCursor(rawValue: "\(number)"))], durability: .normal)
            }
            await beside(number)
        }
    }

    private mutating func advance(_ store: any Store, _ number: Int) async {
        let id = Self.id(number)
        do throws(StoreError) {
            if number.isMultiple(of: 2) {
                try await store.commit([.attempt(id, previous: 0, attempts: 1, at: Self.time)])
                open.insert(id)
                let position = ServerPosition(position: Int64(number + 1), acceptedAt: Self.time)
                try await store.commit([
                    .deliver(id, position, at: Self.time), .setLastTransmitted(.text, Int64(number)),
                ])
                delivered[id] = Int64(number + 1)
                open.remove(id)
            } else if number.isMultiple(of: 5) {
                open.insert(id)
                try await store.commit([.delete(id)])
                acknowledged.removeAll { $0 == id }
                open.remove(id)
            }
        } catch {
            errors.append(error)
        }
    }

    /// The messages that a reopened store should have and does not, or not whole. Empty if nothing is wrong.
    package func losses(in store: any Store) async throws(StoreError) -> [String] {
        var losses: [String] = []
        for id in acknowledged where !open.contains(id) {
            guard let message = try await store.message(id) else {
                losses.append("\(id) is lost")
                continue
            }
            guard case .text(let text) = message.content, text.hasPrefix("message ") else {
                losses.append("\(id) has another content")
                continue
            }
            if let position = delivered[id], message.serverPosition?.position != position {
                losses.append("\(id) has another position")
            }
        }
        return losses
    }
}
