import CausewayModels

/// Decides whether an operation may be sent to a server that deduplicates for a limited time, or must be looked up
/// first. A value without clock or network.
///
/// An operation may be sent again without a question as long as the server would recognise every earlier copy:
///
/// - The first transmission by this value is known exactly, on the monotonic clock.
/// - An operation of an earlier opening of the store, which may have been transmitted then, is looked up.
/// - Otherwise the operation's id bounds the time: it contains the time of its creation, and nothing is transmitted
///   earlier. An id from the future, by the present wall clock, bounds nothing.
///
/// "Long ago" is half of the server's window: so a copy that the network held back for as long as the other half is
/// still recognised.
struct RepeatRules: Sendable, Equatable {
    /// Operations without a result that are remembered. One per lane is usual; above this the ids bound the time again.
    static let rememberedMax = 4096

    private let repeatSpan: Duration
    private var firstSent: [MessageID: MonotonicTime] = [:]

    /// - Parameter window: the time for which the server recognises an id.
    init(window: Duration) { repeatSpan = window / 2 }

    /// Whether the server has to be asked about the operation before it is sent.
    ///
    /// - Parameter isOfEarlierOpening: true if an earlier opening of the store may have transmitted it.
    func needsLookup(
        _ id: MessageID, isOfEarlierOpening: Bool, at now: MonotonicTime, wallClock: Timestamp
    ) -> Bool {
        if let first = firstSent[id] { return now - first > repeatSpan }
        if isOfEarlierOpening { return true }
        let age = wallClock.milliseconds.subtractingReportingOverflow(id.createdMilliseconds).partialValue
        return age < 0 || .milliseconds(age) > repeatSpan
    }

    /// Notes that the operation is sent now.
    ///
    /// - Parameter wasLookedUp: true if the server has just reported that it does not have the operation.
    mutating func noteSent(_ id: MessageID, at now: MonotonicTime, wasLookedUp: Bool) {
        if firstSent[id] != nil, !wasLookedUp { return }
        if firstSent.count >= Self.rememberedMax { firstSent = [:] }
        firstSent[id] = now
    }

    /// Forgets an operation that has its result.
    mutating func noteResult(_ id: MessageID) { firstSent[id] = nil }

    /// The number of remembered operations.
    var rememberedCount: Int { firstSent.count }
}

extension MessageID {
    /// The milliseconds in the identifier (RFC 9562 §5.7).
    fileprivate var createdMilliseconds: Int64 { Int64(value.high >> 16) }
}
