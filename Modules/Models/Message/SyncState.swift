/// The delivery state of a message, in its most detailed form.
///
/// ```
///  create ─▶ created ──▶ (uploading ──▶) syncing ──▶ synced
///               ▲  ▲            │            │
///               │  └── ~5 s ────┴── try later┘
///               │                            │  retries used up, or refused for good
///            resend ◀──────────────────── error ──▶ deleted
/// ```
///
/// The states that the platforms' SDKs document are projections of it: ``ios``, ``android``, ``typescript``,
/// ``classic``.
public enum SyncState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Durable and waiting in the queue. Entered at creation, at a resend, and after an attempt that failed but may be
    /// repeated.
    case created
    /// The attachment is being uploaded. Entered from `created`.
    case uploading
    /// In an attempt that has no response yet. Entered from `created` or `uploading`.
    case syncing
    /// On the server, with a position. Entered from `syncing`, and from every other state if the server turns out to
    /// have the message.
    case synced
    /// Failed, with a reason: after an attempt, or from `created` when it expired or the session ended. Remains until
    /// the user deletes or resends it; never retried automatically.
    case error

    /// The states of the iOS SDK.
    public enum IOS: String, Sendable, Hashable, Codable {
        /// Not on the server yet: ``SyncState/created``, ``SyncState/uploading`` or ``SyncState/syncing``.
        case syncing
        /// On the server.
        case synced
        /// Failed; remains until it is resent or deleted.
        case error
    }
    /// The states of the Android SDK.
    public enum Android: String, Sendable, Hashable, Codable {
        /// Waiting in the queue.
        case created
        /// In an attempt that has no response yet.
        case syncing
        /// The attachment is being uploaded.
        case uploading
        /// On the server.
        case synced
        /// Failed; remains until it is resent or deleted.
        case error
    }
    /// The states of the TypeScript SDK.
    public enum TypeScript: String, Sendable, Hashable, Codable {
        /// Not on the server yet: ``SyncState/created``, ``SyncState/uploading`` or ``SyncState/syncing``.
        case syncing
        /// On the server.
        case synced
        /// Failed; remains until it is resent or deleted.
        case error
    }
    /// The states of the first SDKs.
    public enum Classic: String, Sendable, Hashable, Codable {
        /// Waiting in the queue: ``SyncState/created``.
        case `default`
        /// Being uploaded or sent: ``SyncState/uploading`` or ``SyncState/syncing``.
        case syncing
        /// On the server.
        case synced
        /// Failed; remains until it is resent or deleted.
        case error
    }

    /// The state in the terms of the iOS SDK.
    public var ios: IOS {
        switch self {
        case .created, .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    /// The state in the terms of the Android SDK.
    public var android: Android {
        switch self {
        case .created: .created
        case .uploading: .uploading
        case .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    /// The state in the terms of the TypeScript SDK.
    public var typescript: TypeScript {
        switch self {
        case .created, .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    /// The state in the terms of the classic SDK.
    public var classic: Classic {
        switch self {
        case .created: .default
        case .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }
}
