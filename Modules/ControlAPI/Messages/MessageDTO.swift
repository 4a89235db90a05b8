package import CausewayModels

/// A message, or an operation of the outbox, as JSON. Keys are only ever added.
package struct MessageDTO: Sendable, Hashable, Codable {
    /// The state under the name that each platform's SDK gives it.
    package struct States: Sendable, Hashable, Codable {
        package let ios: String
        package let android: String
        package let typescript: String
        package let classic: String

        init(_ state: SyncState) {
            ios = state.ios.rawValue
            android = state.android.rawValue
            typescript = state.typescript.rawValue
            classic = state.classic.rawValue
        }
    }

    /// One change of the state.
    package struct Change: Sendable, Hashable, Codable {
        package let state: String
        package let at: String
        package let atMs: Int64

        init(_ change: StateChange) {
            state = change.state.rawValue
            at = change.at.description
            atMs = change.at.milliseconds
        }
    }

    package let id: MessageID
    package let channel: ChannelID
    package let sender: UserID
    /// `text`, `custom`, `image`, `video`, `audio`, `file`, or a kind that this version does not know.
    package let type: String
    package var text: String?
    package var custom: JSONValue?
    package var attachment: Attachment?
    /// Content of a kind that this version does not know, unchanged.
    package var unknown: JSONValue?

    /// `reply`, or the kind of operation: `edit`, `addReaction`, `removeReaction`; absent for anything else.
    package let role: String?
    /// The message that a reply answers or that an operation changes.
    package let related: MessageID?
    /// The tags of the message; absent when there are none.
    package let tags: [String]?
    /// When the server accepted the last edit.
    package let editedAt: String?
    package let editedAtMs: Int64?
    /// The number of users for each reaction; absent when there are none.
    package let reactions: [String: Int]?
    /// The reactions of this account; absent when there are none.
    package let myReactions: [String]?

    /// `created`, `uploading`, `syncing`, `synced` or `error`.
    package let state: String
    package let states: States
    package let createdAt: String
    package let createdAtMs: Int64
    /// The position in the channel, once the server has assigned one.
    package let position: Int64?
    package let acceptedAt: String?
    package let acceptedAtMs: Int64?
    /// The lane of the message; absent for messages of other users.
    package let lane: String?
    /// The position in the lane: smaller goes first, gaps are possible. Absent for messages of other users.
    package let place: Int64?
    /// The order in which the store inserted messages.
    package let ordinal: Int64
    package let attempts: Int
    package let lastAttemptAt: String?
    package let lastAttemptAtMs: Int64?
    /// The last changes of the state, oldest first, without the creation. Absent when there are none.
    package let history: [Change]?
    /// True when the message is in `error` and the server has not yet reported whether a copy reached it.
    package let inDoubt: Bool
    /// Why the message waits, structured and as text; absent when it does not wait.
    package var wait: WaitReasonDTO?
    package var waitText: String?
    /// Why the message failed; absent unless it did.
    package let failure: FailureDTO?

    package init(_ message: Message, wait reason: WaitReason? = nil) {
        self.init(
            message, role: message.parent == nil ? nil : "reply", content: message.content, tags: message.tags,
            wait: reason, message)
    }

    /// An operation of the outbox; the creation of a message is shown as that message.
    package init(_ operation: QueuedOperation, wait reason: WaitReason? = nil) {
        let role: String? =
            operation.createsMessage ? (operation.related == nil ? nil : "reply") : operation.payload.name
        self.init(
            operation, role: role, content: operation.content, tags: operation.payload.tags, wait: reason, nil)
    }

    private init(
        _ item: some Deliverable, role: String?, content: MessageContent, tags: [String], wait reason: WaitReason?,
        _ message: Message?
    ) {
        id = item.id
        channel = item.channel
        sender = item.sender
        type = item.type.name
        self.role = role
        related = item.related
        self.tags = tags.isEmpty ? nil : tags
        editedAt = message?.editedAt?.description
        editedAtMs = message?.editedAt?.milliseconds
        reactions = message.flatMap { $0.reactions.isEmpty ? nil : $0.reactions }
        myReactions = message.flatMap { $0.myReactions.isEmpty ? nil : $0.myReactions.sorted() }
        state = item.syncState.rawValue
        states = States(item.syncState)
        createdAt = item.createdAt.description
        createdAtMs = item.createdAt.milliseconds
        position = message?.serverPosition?.position
        acceptedAt = message?.serverPosition?.acceptedAt.description
        acceptedAtMs = message?.serverPosition?.acceptedAt.milliseconds
        lane = item.lane?.rawValue
        place = item.lane == nil ? nil : item.laneSequence
        ordinal = item.ordinal
        attempts = item.attempts
        lastAttemptAt = item.lastAttemptAt?.description
        lastAttemptAtMs = item.lastAttemptAt?.milliseconds
        history = item.history.isEmpty ? nil : item.history.map(Change.init)
        inDoubt = item.isInDoubt
        wait = reason.map(WaitReasonDTO.init)
        waitText = reason?.description
        failure = item.failure.map(FailureDTO.init)
        setContent(content)
    }

    private mutating func setContent(_ content: MessageContent) {
        switch content {
        case .text(let text): self.text = text
        case .custom(let data): custom = data
        case .image(let attachment, let caption), .video(let attachment, let caption),
            .file(let attachment, let caption):
            self.attachment = attachment
            text = caption
        case .audio(let attachment): self.attachment = attachment
        case .unknown(_, let body): unknown = body
        }
    }
}

/// Why a message is `error`, as JSON.
package struct FailureDTO: Sendable, Hashable, Codable {
    /// `refused`, `retriesUsedUp`, `sessionEnded`, `expired` or `unsendable`.
    package let reason: String
    /// The error code of the server or the network; may be empty.
    package let code: String
    /// May contain text from the server.
    package let detail: String
    /// The complete description.
    package let text: String
    package let at: String
    package let atMs: Int64
    /// True when the failure pauses the lane until the message is resent or deleted; absent otherwise.
    package let pausesLane: Bool?

    package init(_ failure: Failure) {
        reason = failure.reason.rawValue
        code = failure.code
        detail = failure.detail
        text = failure.description
        at = failure.at.description
        atMs = failure.at.milliseconds
        pausesLane = failure.pausesLane ? true : nil
    }
}
