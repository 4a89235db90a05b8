import CausewayModels

/// The place of a slot that outlives changes of the lane before it.
struct SlotLocation: Sendable, Hashable {
    /// Index into ``Outbox/lanes``, which never shrinks.
    var lane: Int
    var sequence: Int64
}

/// The slots of each message: the one that sends it, and the last fence or retraction for it.
///
/// A message that is sent again can have both, because the question about its old sequence may still be open. Both
/// follow the transitions of ``OutboxLane/Slot/State``: a transition that changes whether a slot sends its message has
/// a method of the same name here. All methods are O(1).
struct SlotIndex: Sendable, Hashable {
    private(set) var sends: [MessageID: SlotLocation] = [:]
    private(set) var fences: [MessageID: SlotLocation] = [:]

    /// The number of slots that are indexed.
    var count: Int { sends.count + fences.count }

    /// True if a slot sends the message.
    func sends(_ message: MessageID) -> Bool { sends[message] != nil }

    /// True if the verdict on an earlier sequence of the message is open.
    func hasFence(for message: MessageID) -> Bool { fences[message] != nil }

    mutating func insertSend(_ message: MessageID, at location: SlotLocation) { sends[message] = location }

    mutating func insertFence(for message: MessageID, at location: SlotLocation) { fences[message] = location }

    /// The slot that sent the message is a fence or a retraction from now on.
    mutating func becomeFence(_ message: MessageID) { fences[message] = sends.removeValue(forKey: message) }

    /// The message was removed from its lane before it was transmitted.
    mutating func removeSend(_ message: MessageID) { sends[message] = nil }

    /// A slot that sent the message has its verdict, or is given up; a later one remains.
    mutating func removeSend(_ slot: OutboxLane.Slot) {
        if sends[slot.message]?.sequence == slot.sequence { sends[slot.message] = nil }
    }

    /// A fence or retraction has its verdict; a later one remains.
    mutating func removeFence(_ slot: OutboxLane.Slot) {
        if fences[slot.message]?.sequence == slot.sequence { fences[slot.message] = nil }
    }
}
