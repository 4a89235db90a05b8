import CausewayModels
import CausewayOutbox

/// The callers that wait for the results of messages. Each is resumed once, in the order of arrival, so that
/// simulations of the client are reproducible.
struct Waiters {
    private var byMessage: [MessageID: [Int: CheckedContinuation<DeliveryResult?, Never>]] = [:]
    private var next = 0

    var count: Int { byMessage.values.reduce(0) { $0 + $1.count } }

    /// A number that identifies a waiter for its removal.
    mutating func ticket() -> Int {
        next += 1
        return next
    }

    mutating func add(_ message: MessageID, _ ticket: Int, _ waiter: CheckedContinuation<DeliveryResult?, Never>) {
        byMessage[message, default: [:]][ticket] = waiter
    }

    /// Resumes all waiters of the message.
    mutating func complete(_ message: MessageID, _ result: DeliveryResult) {
        guard let waiters = byMessage.removeValue(forKey: message) else { return }
        Self.tell(waiters, result)
    }

    /// Ends one wait; the message is not affected.
    mutating func cancel(_ message: MessageID, _ ticket: Int) {
        guard let waiter = byMessage[message]?.removeValue(forKey: ticket) else { return }
        if byMessage[message]?.isEmpty == true { byMessage[message] = nil }
        waiter.resume(returning: nil)
    }

    /// The messages with waiters, in the order of their first waiter.
    var messages: [MessageID] {
        byMessage.sorted { ($0.value.keys.min() ?? 0) < ($1.value.keys.min() ?? 0) }.map(\.key)
    }

    /// Resumes every remaining waiter with `nil`.
    mutating func failAll() {
        let all = byMessage
        byMessage = [:]
        Self.tell(all.values.joined(), nil)
    }

    private static func tell(
        _ waiters: some Sequence<(key: Int, value: CheckedContinuation<DeliveryResult?, Never>)>,
        _ result: DeliveryResult?
    ) {
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: result) }
    }
}
