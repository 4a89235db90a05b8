import CausewayModels
import CausewayOutbox

/// Who waits for the result of which message. Each is told once, and those who came first are told first: whoever
/// simulates the client must get the same order each time.
struct Waiters {
    private var byMessage: [MessageID: [Int: CheckedContinuation<DeliveryResult?, Never>]] = [:]
    private var next = 0

    var count: Int { byMessage.values.reduce(0) { $0 + $1.count } }

    /// A number by which the waiter can be taken out again.
    mutating func ticket() -> Int {
        next += 1
        return next
    }

    mutating func add(_ message: MessageID, _ ticket: Int, _ waiter: CheckedContinuation<DeliveryResult?, Never>) {
        byMessage[message, default: [:]][ticket] = waiter
    }

    /// Tells everybody who waits for the message.
    mutating func complete(_ message: MessageID, _ result: DeliveryResult) {
        guard let waiters = byMessage.removeValue(forKey: message) else { return }
        Self.tell(waiters, result)
    }

    /// The waiter does not wait any longer; the message is not touched.
    mutating func cancel(_ message: MessageID, _ ticket: Int) {
        guard let waiter = byMessage[message]?.removeValue(forKey: ticket) else { return }
        if byMessage[message]?.isEmpty == true { byMessage[message] = nil }
        waiter.resume(returning: nil)
    }

    /// The messages that somebody waits for, in the order in which somebody began to.
    var messages: [MessageID] {
        byMessage.sorted { ($0.value.keys.min() ?? 0) < ($1.value.keys.min() ?? 0) }.map(\.key)
    }

    /// Nobody will learn anything any more.
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
