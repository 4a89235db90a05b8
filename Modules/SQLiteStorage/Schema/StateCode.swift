import CausewayModels

/// The numeric codes of states on disk. They must never change: partial indexes contain them.
enum StateCode {
    static let synced: Int64 = 3

    static func code(_ state: SyncState) -> Int64 {
        switch state {
        case .created: 0
        case .uploading: 1
        case .syncing: 2
        case .synced: synced
        case .error: 4
        }
    }

    static func state(_ code: Int64) -> SyncState? {
        switch code {
        case 0: .created
        case 1: .uploading
        case 2: .syncing
        case synced: .synced
        case 4: .error
        default: nil
        }
    }
}
