/// Decides which requests are sent over a socket when, and what its end means for them. Pure: it does no I/O and reads
/// no clock; the driver, `SocketDriver`, performs the returned actions in order.
///
/// ```
///        submit            opened                 cut, nothing waits or given up
///  none ───────▶ opening ─────────▶ open(window) ───────────────────────────────▶ none
///    ▲              │                    │
///    └──────────────┘ openingFailed      └──▶ opening   (cut, requests wait)
///                     (opening again on networkChanged)
/// ```
///
/// Guarantees:
/// 1. At most `waitingMax` requests wait, and at most the server's window, without those that last, are under way.
/// 2. Requests are sent in the order of their arrival. Lasting ones wait for no window.
/// 3. A request that was sent is sent again only if it is repeatable, once, and only when a connection that had served
///    before ended: the server may have closed it at that moment.
/// 4. A failed opening fails all that wait; a later request gets an attempt of its own.
/// 5. After a cut that gives the socket up nothing waits for another one.
package struct SocketSchedule: Equatable, Sendable {
    package typealias RequestID = Int64

    package enum Failure: Hashable, Sendable {
        /// The queue is full; nothing was done.
        case tooManyWaiting
        case shutDown(sent: Bool)
        /// The connection ended after the request was sent.
        case cut
        /// The connection ended, and there will be no other one; the request may travel in another way.
        case givenUp
    }

    package enum Action: Hashable, Sendable {
        case open
        case send(RequestID)
        case fail(RequestID, Failure)
        /// Close the socket, which carries no request, or end its opening.
        case close
    }

    /// The state of a request when it was withdrawn.
    package enum Withdrawal: Hashable, Sendable { case waiting, sent, unknown }

    private enum Link: Equatable, Sendable {
        case none, opening, shutDown
        case open(window: Int)
    }

    private struct Request: Equatable, Sendable {
        let isRepeatable: Bool
        let isLasting: Bool
        var wasRepeated = false
    }

    private let waitingMax: Int
    /// The number of times that an opening is begun anew.
    package static let restartsMax = 4
    private var link = Link.none
    /// Of the present opening, by changes of the network.
    private var restarts = 0
    private var requests: [RequestID: Request] = [:]
    /// In the order of arrival.
    private var waiting: [RequestID] = []
    private var sent: Set<RequestID> = []
    /// Of those that were sent, the ones that count against the window.
    private var counted = 0
    /// Whether a request had its response on the current connection, or on the one that was cut last.
    package private(set) var hasServed = false

    package init(waitingMax: Int) { self.waitingMax = waitingMax }

    /// Whether an open socket carries no request.
    package var isIdle: Bool {
        guard case .open = link else { return false }
        return sent.isEmpty
    }

    /// The requests that were sent and have no response.
    package var underWay: Set<RequestID> { sent }

    package mutating func submit(_ id: RequestID, isRepeatable: Bool, isLasting: Bool) -> [Action] {
        guard link != .shutDown else { return [.fail(id, .shutDown(sent: false))] }
        guard waiting.count < waitingMax else { return [.fail(id, .tooManyWaiting)] }
        requests[id] = Request(isRepeatable: isRepeatable, isLasting: isLasting)
        waiting.append(id)
        return proceed()
    }

    /// - Parameter window: requests that the server has under way at a time.
    package mutating func opened(window: Int) -> [Action] {
        guard link == .opening else { return [] }
        link = .open(window: max(1, window))
        hasServed = false
        return proceed()
    }

    /// - Returns: the requests that fail with it.
    package mutating func openingFailed() -> [RequestID] {
        guard link == .opening else { return [] }
        link = .none
        defer { waiting = [] }
        for id in waiting { requests[id] = nil }
        return waiting
    }

    /// The open connection has ended.
    ///
    /// - Parameter reopens: whether the requests that wait get another connection. Otherwise, they fail as given up.
    package mutating func cut(reopens: Bool = true) -> [Action] {
        guard case .open = link else { return [] }
        link = .none
        var failed: [Action] = []
        var repeated: [RequestID] = []
        for id in sent.sorted() {
            if hasServed, let request = requests[id], request.isRepeatable, !request.wasRepeated {
                requests[id]?.wasRepeated = true
                repeated.append(id)
            } else {
                requests[id] = nil
                failed.append(.fail(id, .cut))
            }
        }
        waiting = repeated + waiting
        sent = []
        counted = 0
        if reopens { return failed + proceed() }
        defer { waiting = [] }
        for id in waiting { requests[id] = nil }
        return failed + waiting.map { .fail($0, .givenUp) }
    }

    /// A request that was sent has its response.
    package mutating func finished(_ id: RequestID) -> [Action] {
        hasServed = true
        remove(id)
        return proceed()
    }

    /// The caller does not need the response any more.
    package mutating func withdraw(_ id: RequestID) -> (Withdrawal, [Action]) {
        if let index = waiting.firstIndex(of: id) {
            waiting.remove(at: index)
            requests[id] = nil
            return (.waiting, [])
        }
        guard sent.contains(id) else { return (.unknown, []) }
        remove(id)
        return (.sent, proceed())
    }

    /// Closes the socket if it carries nothing but requests that last, which continue on the next one.
    package mutating func discardIdle() -> [Action] {
        guard case .open = link, counted == 0, sent.allSatisfy({ requests[$0]?.isRepeatable == true }) else {
            return []
        }
        link = .none
        waiting = sent.sorted() + waiting
        sent = []
        return [.close] + proceed()
    }

    /// Closes a socket that carries nothing.
    package mutating func closeIdle() -> [Action] { isIdle ? discardIdle() : [] }

    /// Discards the socket like ``discardIdle()``, or begins its opening anew: one from an address of the old network
    /// would go on until its time-out. At most ``restartsMax`` times, so that a network that changes all the time does
    /// not keep it from its end.
    package mutating func networkChanged() -> [Action] {
        guard link == .opening, restarts < Self.restartsMax else { return discardIdle() }
        restarts += 1
        guard waiting.isEmpty else { return [.close, .open] }
        link = .none
        return [.close]
    }

    package mutating func shutDown() -> [Action] {
        guard link != .shutDown else { return [] }
        let failed =
            sent.sorted().map { Action.fail($0, .shutDown(sent: true)) }
            + waiting.map { Action.fail($0, .shutDown(sent: false)) }
        self = SocketSchedule(waitingMax: waitingMax)
        link = .shutDown
        return failed + [.close]
    }

    private mutating func remove(_ id: RequestID) {
        guard sent.remove(id) != nil, let request = requests.removeValue(forKey: id) else { return }
        if !request.isLasting { counted -= 1 }
    }

    private mutating func proceed() -> [Action] {
        switch link {
        case .shutDown, .opening: return []
        case .none:
            guard !waiting.isEmpty else { return [] }
            link = .opening
            restarts = 0
            return [.open]
        case .open(let window):
            var actions: [Action] = []
            var kept: [RequestID] = []
            for id in waiting {
                guard let request = requests[id] else { continue }
                guard request.isLasting || counted < window else {
                    kept.append(id)
                    continue
                }
                sent.insert(id)
                if !request.isLasting { counted += 1 }
                actions.append(.send(id))
            }
            waiting = kept
            return actions
        }
    }
}
