package import CausewayModels

/// The histories of a hub's data, its openings, and how far they came; the rules are `HistoryRules`.
package protocol HistoryStorage: Sendable {
    /// The present opening, with the last confirmed commit; `nil` until ``beginOpening(_:)``.
    ///
    /// Changes with each confirmed commit, and when another history begins: before the next transaction decides
    /// anything. Cheap: every request reads it.
    var opening: HubOpening? { get }

    /// Starts an opening, in which the hub serves. The one before it ends with the last stored commit.
    ///
    /// The last ``HubStorageLimits/openingsKeptMax`` openings are remembered.
    ///
    /// - Parameter id: 16 random bytes.
    func beginOpening(_ id: [UInt8]) async throws(HubStorageError)

    /// Returns the last commit of an earlier opening; `nil` for one that is not known, or has not ended.
    func lastCommit(ofOpening id: [UInt8]) async throws(HubStorageError) -> Int64?

    /// Starts another history unless one has begun since `present`: raises the last position of every channel to a
    /// floor above all positions that can have been assigned (`HistoryRules.floor(above:_:)`).
    ///
    /// A storage that finds, while it recovers, that confirmed commits are gone, starts another history by itself.
    ///
    /// - Parameters:
    ///   - floor: a lower bound of the new floor.
    ///   - present: the id of the history that the caller knows.
    ///   - id: 16 random bytes.
    /// - Returns: whether this call started it.
    /// - Throws: `tooMany` when no positions are left.
    func beginHistory(
        _ id: [UInt8], above floor: Int64, after present: [UInt8], at time: Timestamp
    ) async throws(HubStorageError) -> Bool

    /// Returns the marks of the lanes of an account's outbox by the lanes' names: those that changed last, up to
    /// ``HubStorageLimits/marksMax``.
    func marks(of outbox: OutboxKey) async throws(HubStorageError) -> [String: LaneMark]
}

/// The mark of a lane, and the opening that moved it last, if that one named itself.
package struct LaneMark: Sendable, Equatable {
    package var mark: Int64
    package var mover: OpeningID?

    package init(mark: Int64, mover: OpeningID?) {
        self.mark = mark
        self.mover = mover
    }
}

/// One run of a hub on its data, and the present history.
package struct HubOpening: Sendable, Equatable {
    /// The identity of the hub; 16 bytes.
    package var hub: [UInt8]
    /// The key of the hub's seals.
    package var sealKey: [UInt8]
    /// The present history; 16 bytes.
    package var history: [UInt8]
    /// All positions of the history are above this one.
    package var floor: Int64
    /// The identity of this opening; 16 bytes.
    package var id: [UInt8]
    /// The number of the last confirmed commit.
    package var lastCommit: Int64

    package init(hub: [UInt8], sealKey: [UInt8], history: [UInt8], floor: Int64, id: [UInt8], lastCommit: Int64) {
        self.hub = hub
        self.sealKey = sealKey
        self.history = history
        self.floor = floor
        self.id = id
        self.lastCommit = lastCommit
    }
}
