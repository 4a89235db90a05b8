import CausewayModels
import CausewayOutbox

/// Who waits for the result of which message. Each is told once.
struct Waiters {
    private var byMessage: [MessageID: [Int: CheckedContinuation<DeliveryResult?, Never>]] = [:]
    private var next = 0

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
        for waiter in waiters.values { waiter.resume(returning: result) }
    }

    /// The waiter does not wait any longer; the message is not touched.
    mutating func cancel(_ message: MessageID, _ ticket: Int) {
        guard let waiter = byMessage[message]?.removeValue(forKey: ticket) else { return }
        if byMessage[message]?.isEmpty == true { byMessage[message] = nil }
        waiter.resume(returning: nil)
    }

    mutating func completeAll(_ result: DeliveryResult) {
        for message in byMessage.keys { complete(message, result) }
    }

    /// Nobody will learn anything any more.
    mutating func failAll() {
        let all = byMessage
        byMessage = [:]
        for waiters in all.values {
            for waiter in waiters.values { waiter.resume(returning: nil) }
        }
    }
}
