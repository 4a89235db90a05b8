import CausewayFileStorage
import CausewayModels
import CausewayStorage
import Testing

/// A small history of a store with everything in it: what was acknowledged must be found again.
struct History: Sendable {
    /// The ids of the messages whose creation was acknowledged, in their order, without those that were deleted.
    var acknowledged: [MessageID] = []
    /// Messages of which a change was attempted and not acknowledged: either state may be found.
    var open: Set<MessageID> = []
    /// Positions of messages whose delivery was acknowledged.
    var delivered: [MessageID: Int64] = [:]

    static let channel: ChannelID = {
        guard let channel = ChannelID("general") else { preconditionFailure("it is a name") }
        return channel
    }()
    static let user: UserID = {
        guard let user = UserID("ada") else { preconditionFailure("it is a name") }
        return user
    }()
    static let time = Timestamp(milliseconds: 1_000)

    static func id(_ number: Int) -> MessageID { MessageID(UUIDv7(high: 0x7000, low: UInt64(number) + 1)) }

    static let options = StartOptions(
        restart: .resume, failure: Failure(reason: .sessionEnded, code: "", detail: "", at: time),
        newOutboxID: OutboxID(UUIDv7(high: 7, low: 7)))

    static func draft(_ number: Int, bytes: Int = 20) -> MessageDraft {
        MessageDraft(
            id: id(number), channel: channel, sender: user,
            content: .text("message \(number) " + String(repeating: "x", count: bytes)), createdAt: time, lane: .text)
    }

    /// Creates, delivers and deletes; goes on after errors, as a client does.
    mutating func run(_ store: FileStore, count: Int = 12, maintains: Bool = true) async {
        for number in 0..<count {
            let draft = Self.draft(number, bytes: number.isMultiple(of: 3) ? 300 : 20)
            do throws(StoreError) {
                _ = try await store.enqueue(draft)
                acknowledged.append(draft.id)
            } catch {
                open.insert(draft.id)
                continue
            }
            await advance(store, number)
            // What the server sent: it may be lost, and must not take anything else with it.
            try? await store.commit([.setEventCursor(EventCursor(rawValue: "\(number)"))], durability: .normal)
            if maintains, number == count / 3 { try? await store.maintain(.snapshot) }
            if maintains, number == count / 2 { try? await store.maintain(.compaction) }
        }
    }

    private mutating func advance(_ store: FileStore, _ number: Int) async {
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
        } catch {}
    }

    /// Checks that a reopened store has everything that was acknowledged, whole.
    func check(_ store: FileStore, _ context: String) async throws {
        for id in acknowledged where !open.contains(id) {
            let message = try #require(try await store.message(id), "\(context): \(id) is lost")
            guard case .text(let text) = message.content, text.hasPrefix("message ") else {
                Issue.record("\(context): \(id) has another content")
                continue
            }
            if let position = delivered[id] {
                #expect(message.serverPosition?.position == position, "\(context): \(id)")
            }
        }
    }

    /// The number of acknowledged messages that the store does not have.
    func missing(_ store: FileStore) async throws -> Int {
        var missing = 0
        for id in acknowledged where !open.contains(id) {
            if try await store.message(id) == nil { missing += 1 }
        }
        return missing
    }
}
