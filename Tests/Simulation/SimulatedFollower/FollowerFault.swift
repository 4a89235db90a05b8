import CausewaySimulationKernel

/// The faults between a hub's log and the devices that follow it.
package enum FollowerFault: String, SimulatedFault {
    // The network
    case requestLost, responseLost, responseRepeated, slow, cut, linkDown
    // The way
    case socketBlocked
    // The hub
    case restart, restore, retention, memberRemoved
    // The device
    case crash, fullDisk

    /// In thousandths of its occasions, before a plan multiplies it.
    package var likelihood: Int {
        switch self {
        case .requestLost, .responseLost: 50
        case .responseRepeated: 80
        case .slow: 80
        case .cut: 80
        case .linkDown: 30
        case .socketBlocked: 40
        case .restart: 25
        case .restore: 15
        case .retention: 40
        case .memberRemoved: 60
        case .crash: 20
        case .fullDisk: 20
        }
    }
}

/// A planted fault, used to show that the simulator finds it.
package enum FollowerPlantedFault: String, CaseIterable, Sendable {
    // The device
    /// The cursor is stored before what it brought.
    case storesCursorFirst
    /// The cursor is taken after the state was read.
    case readsThenRegisters
    case dropsDeletions
    /// A channel of which more changed than is listed is not read.
    case ignoresLimited
    /// After a reset the stored state is taken for the present one.
    case ignoresReset
    /// Results of calls that were given up are used.
    case acceptsLateResults
    /// Deadlines of the follower are lost now and then.
    case losesDeadlines
    /// A socket is never tried again.
    case neverReturnsToSocket

    // The hub
    /// Rights are decided when a stream is opened, not when the log is read.
    case rightsOnlyAtOpening
    /// A new membership does not make its channel limited.
    case hidesNewMemberships
    /// A position is continued in another history.
    case ignoresHistories
    /// A position below the retention is continued.
    case ignoresRetention
    /// Changes that have no room in a part are dropped.
    case dropsOnFull
    /// A part that is cut claims to be the end.
    case claimsToBeUpToDate
    /// A reader is registered after it has read, without reading again.
    case registersAfterReading
    /// Commits wake nobody.
    case wakesNobody
    /// The cursor of a part is the time of the hub's clock, which was set back.
    case cursorByClock
}
