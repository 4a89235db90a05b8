public import CausewayStorage

/// Creates the stores that ``StoreConformance/diskRules`` examine: below them is a disk that can be made to fail.
public struct FailingStoreFactory: Sendable {
    /// The way in which a disk fails.
    public enum Fault: Sendable, CaseIterable {
        /// There is no room: writes fail, until the fault ends.
        case full
        /// The device fails: writes fail with an error other than that of a full disk, until the fault ends.
        case writes
        /// The next sync fails, and no other one. The system drops what it could not write, as Linux does.
        case oneSync
        /// Every sync fails so, until the fault ends.
        case syncs
    }

    /// Creates a new, empty store with `durability = full` that has not been started.
    public var make: @Sendable () async throws -> any Store
    /// Makes the disk below the store fail from now on; `nil` ends the fault.
    public var fail: @Sendable (_ store: any Store, _ fault: Fault?) async throws -> Void
    /// Loses the power: everything that was not synced is gone. Returns the store that the next process opens on the
    /// rest, not yet started.
    public var reopenAfterPowerFailure: @Sendable (_ store: any Store) async throws -> any Store

    /// Creates a factory; see the properties.
    public init(
        make: @escaping @Sendable () async throws -> any Store,
        fail: @escaping @Sendable (_ store: any Store, _ fault: Fault?) async throws -> Void,
        reopenAfterPowerFailure: @escaping @Sendable (_ store: any Store) async throws -> any Store
    ) {
        self.make = make
        self.fail = fail
        self.reopenAfterPowerFailure = reopenAfterPowerFailure
    }
}
