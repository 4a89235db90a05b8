/// How far a message has come, in its finest form.
///
/// ```
///  create ─▶ created ──▶ (uploading ──▶) syncing ──▶ synced
///               ▲  ▲            │            │
///               │  └── ~5 s ────┴── try later┘
///               │                            │  retries used up, or refused for good
///            resend ◀──────────────────── error ──▶ deleted
/// ```
///
/// The forms that the platforms' SDKs document are projections of it: ``ios``, ``android``, ``typescript``,
/// ``classic``.
public enum SyncState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Durable, and waiting in the queue. Reached by creation, by a resend, and back from an attempt that did not end
    /// well but may be repeated.
    case created
    /// The attachment is on its way. Reached from `created`.
    case uploading
    /// In an attempt that has not been answered. Reached from `created` or `uploading`.
    case syncing
    /// On the server, and placed there. Reached from `syncing`, and from every other state when the server turns out to
    /// have it.
    case synced
    /// Given up, with a reason: from an attempt, or from `created` when it expired or the session ended. Stays until
    /// someone deletes or resends it; never retried by itself.
    case error

    /// The states that the iOS SDK knows.
    public enum IOS: String, Sendable, Hashable, Codable { case syncing, synced, error }
    /// The states that the Android SDK knows.
    public enum Android: String, Sendable, Hashable, Codable { case created, syncing, uploading, synced, error }
    /// The states that the TypeScript SDK knows.
    public enum TypeScript: String, Sendable, Hashable, Codable { case syncing, synced, error }
    /// The states that the first SDKs knew.
    public enum Classic: String, Sendable, Hashable, Codable { case `default`, syncing, synced, error }

    public var ios: IOS {
        switch self {
        case .created, .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    public var android: Android {
        switch self {
        case .created: .created
        case .uploading: .uploading
        case .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    public var typescript: TypeScript {
        switch self {
        case .created, .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }

    public var classic: Classic {
        switch self {
        case .created: .default
        case .uploading, .syncing: .syncing
        case .synced: .synced
        case .error: .error
        }
    }
}
