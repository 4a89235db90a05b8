import HTTPTypes
import NIOCore
import Synchronization

/// The parts of one transfer between a connection, on its event loop, and the task that reads and receives them.
///
/// A lock guards the state; callbacks and continuations run outside it. The sending half has at most
/// ``HTTPLimits/transferPartsMax`` parts on the connection, and offers the next one, which leaves on the event loop as
/// soon as there is room; the receiving half stops the connection's reading at ``HTTPLimits/transferBytesHeldMax``
/// bytes.
final class TransferStream: Sendable {
    /// The connection, as far as the stream controls it. Called on any thread.
    struct Connection: Sendable {
        /// Passes a part on; `completed` is called when the system has it, or it is lost.
        var write: @Sendable (ByteBuffer, _ completed: @escaping @Sendable () -> Void) -> Void
        /// The body is complete.
        var end: @Sendable () -> Void
        /// ``TransferStream/isHeld`` has changed: stops reading, or reads again.
        var holdChanged: @Sendable (TransferStream) -> Void
    }

    /// A part that waits for room on the connection, and its sender.
    private struct Offer {
        /// `nil` for the end of an empty body, or an error of its source: both are due when there is room for a part.
        let part: ByteBuffer?
        /// Resumed with false if no part is wanted any longer.
        let sender: CheckedContinuation<Bool, Never>
    }

    /// An offer that the connection takes.
    private struct Passage {
        let offer: Offer
        let connection: Connection
        let isFirst: Bool
    }

    private struct State {
        var connection: Connection?
        var isEnded = false
        // Sending
        /// Whether the body waits until the server wants it.
        var awaitsContinue: Bool
        var partsUnderWay = 0
        var isSendingEnded = false
        var hasBegunBody = false
        var offer: Offer?
        // Receiving
        var parts: CircularBuffer<ByteBuffer> = []
        var bytes = 0
        var isHeld = false
        var receiver: CheckedContinuation<[ByteBuffer], Never>?

        init(awaitsContinue: Bool) { self.awaitsContinue = awaitsContinue }

        /// The next parts, with at most this number of bytes in all; none if none has come.
        mutating func takeParts(bytesMax: Int) -> [ByteBuffer] {
            var taken: [ByteBuffer] = []
            var room = bytesMax
            while room > 0, var part = parts.popFirst() {
                if part.readableBytes > room, let first = part.readSlice(length: room) {
                    parts.prepend(part)
                    part = first
                }
                room -= part.readableBytes
                taken.append(part)
            }
            bytes -= bytesMax - room
            return taken
        }

        mutating func takeReceiver() -> CheckedContinuation<[ByteBuffer], Never>? {
            defer { receiver = nil }
            return receiver
        }

        /// The offer, if the connection has room for it.
        mutating func takePassage(partsMax: Int) -> Passage? {
            guard let connection, let offer, !awaitsContinue, partsUnderWay < partsMax else { return nil }
            self.offer = nil
            let isFirst = !hasBegunBody && offer.part != nil
            if offer.part != nil {
                partsUnderWay += 1
                hasBegunBody = true
            }
            return Passage(offer: offer, connection: connection, isFirst: isFirst)
        }

        /// No part is passed on any more.
        mutating func endSending() -> Offer? {
            isSendingEnded = true
            defer { offer = nil }
            return offer
        }
    }

    let transfer: HTTPTransfer
    private let limits: HTTPLimits
    private let state: Mutex<State>

    init(_ transfer: HTTPTransfer, limits: HTTPLimits) {
        self.transfer = transfer
        self.limits = limits
        state = Mutex(State(awaitsContinue: transfer.waitBeforeBody != nil))
    }

    // MARK: - The connection's side

    /// Whether enough bytes wait for their receiver. Read in turn by the connection: two changes from different threads
    /// may be reported in either order.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// The request's head was sent on this connection.
    func begin(on connection: Connection) {
        pass(
            state.withLock { state in
                state.connection = connection
                return state.takePassage(partsMax: limits.transferPartsMax)
            })
    }

    /// The server wants the body, or was waited for long enough.
    func mayContinue() {
        pass(
            state.withLock { state in
                state.awaitsContinue = false
                return state.takePassage(partsMax: limits.transferPartsMax)
            })
    }

    /// The final response has begun: the rest of the body is not wanted.
    func responseBegan() {
        let offer = state.withLock { $0.endSending() }
        offer?.sender.resume(returning: false)
    }

    func received(_ part: ByteBuffer) {
        let (receiver, parts, hold) = state.withLock {
            state -> (
                CheckedContinuation<[ByteBuffer], Never>?, [ByteBuffer], (@Sendable (TransferStream) -> Void)?
            ) in
            state.parts.append(part)
            state.bytes += part.readableBytes
            let receiver = state.takeReceiver()
            let parts = receiver == nil ? [] : state.takeParts(bytesMax: limits.transferBytesHeldMax)
            guard state.bytes >= limits.transferBytesHeldMax, !state.isHeld else { return (receiver, parts, nil) }
            state.isHeld = true
            return (receiver, parts, state.connection?.holdChanged)
        }
        receiver?.resume(returning: parts)
        hold?(self)
    }

    // MARK: - The caller's side

    /// No further part is sent, and none is received beyond those that are here.
    func end(discarding: Bool) {
        let (offer, receiver) = state.withLock { state in
            state.isEnded = true
            if discarding {
                state.parts.removeAll()
                state.bytes = 0
            }
            return (state.endSending(), state.takeReceiver())
        }
        offer?.sender.resume(returning: false)
        receiver?.resume(returning: [])
    }

    /// Reads the body and passes it to the connection, until its end or until the rest is not wanted. A part is read
    /// while those before it are under way, and the first one while the server is asked.
    func send(_ body: RequestBodyParts) async throws {
        var left = body.length
        if left == 0 {
            guard await offer(nil) else { return }
        }
        while left > 0 {
            let part: ByteBuffer
            do {
                part = try await next(of: body, atMost: left)
            } catch {
                // A body that is not wanted need not be readable.
                guard await offer(nil) else { return }
                throw error
            }
            left -= Int64(part.readableBytes)
            guard await offer(part) else { return }
        }
        let connection = state.withLock { $0.isSendingEnded ? nil : $0.connection }
        connection?.end()
    }

    private func next(of body: RequestBodyParts, atMost left: Int64) async throws -> ByteBuffer {
        guard let part = try await body.next(), part.readableBytes > 0,
            part.readableBytes <= Int(clamping: left)
        else { throw WrongBodyLength() }
        return part
    }

    /// The body has not the length that was announced.
    struct WrongBodyLength: Error {}

    /// Passes the response's body on until its end.
    func drain(to receiver: ResponseBodyReceiver) async throws {
        var bytes: [UInt8] = []
        while true {
            let parts = await nextParts()
            guard !parts.isEmpty else { return }
            // As one: each resumption of a receiver costs as much as many kilobytes. In the same memory, unless the
            // receiver keeps it: memory that is new each time costs more than everything else.
            bytes.removeAll(keepingCapacity: true)
            bytes.reserveCapacity(parts.reduce(0) { $0 + $1.readableBytes })
            for part in parts { unsafe part.withUnsafeReadableBytes { unsafe bytes.append(contentsOf: $0) } }
            try await receiver.receive(bytes)
            // The executor may have a single thread, and the network may be faster than the receiver.
            await Task.yield()
        }
    }

    /// The next parts; none after the last.
    private func nextParts() async -> [ByteBuffer] {
        await withCheckedContinuation { continuation in
            let (parts, isWaiting, release) = state.withLock {
                state -> ([ByteBuffer], Bool, (@Sendable (TransferStream) -> Void)?) in
                let parts = state.takeParts(bytesMax: limits.transferBytesHeldMax)
                guard !parts.isEmpty else {
                    if !state.isEnded { state.receiver = continuation }
                    return ([], !state.isEnded, nil)
                }
                guard state.isHeld, state.bytes < limits.transferBytesHeldMax else { return (parts, false, nil) }
                state.isHeld = false
                return (parts, false, state.connection?.holdChanged)
            }
            release?(self)
            if !isWaiting { continuation.resume(returning: parts) }
        }
    }

    /// Waits until the connection has taken a part, or would take one.
    ///
    /// - Returns: false if no part is wanted any longer.
    private func offer(_ part: ByteBuffer?) async -> Bool {
        await withCheckedContinuation { continuation in
            let offer = Offer(part: part, sender: continuation)
            let (isRefused, passage) = state.withLock { state -> (Bool, Passage?) in
                if state.isSendingEnded { return (true, nil) }
                state.offer = offer
                return (false, state.takePassage(partsMax: limits.transferPartsMax))
            }
            if isRefused { continuation.resume(returning: false) }
            pass(passage)
        }
    }

    private func pass(_ passage: Passage?) {
        guard let passage else { return }
        if passage.isFirst { transfer.bodyBegan() }
        if let part = passage.offer.part { passage.connection.write(part) { self.written() } }
        passage.offer.sender.resume(returning: true)
    }

    private func written() {
        pass(
            state.withLock { state in
                state.partsUnderWay -= 1
                return state.takePassage(partsMax: limits.transferPartsMax)
            })
    }
}
