/// The upload of a message's attachment, as it is stored with the message.
///
/// The server has to have the file before the message is sent. The receipt is kept until the message is delivered, also
/// over a failure: a resend uploads nothing again.
public struct AttachmentUpload: Sendable, Hashable {
    /// The steps of an upload.
    public enum State: Sendable, Hashable {
        /// The server does not have the complete file. `session` is the server's name of the upload to resume, `nil` if
        /// none is open; `attempts` is the number of counted attempts since the last progress.
        case pending(session: String?, attempts: Int)
        /// The server has verified the complete file, which it knows by this name.
        case complete(receipt: String)
    }

    /// The present step.
    public var state: State
    /// The size of the file in bytes.
    public var total: Int64
    /// True if the server had the file once and has lost it: it is uploaded again only once without a resend.
    public var isRepeated: Bool

    /// Creates an upload of `total` bytes; by default one that has not begun.
    public init(total: Int64, state: State = .pending(session: nil, attempts: 0), isRepeated: Bool = false) {
        self.total = total
        self.state = state
        self.isRepeated = isRepeated
    }

    /// The upload that a file needs which the server does not have; `nil` without a file.
    package init?(of attachment: Attachment?) {
        guard let attachment else { return nil }
        self.init(total: attachment.size)
    }

    /// True unless the server has the file.
    public var isPending: Bool {
        if case .pending = state { true } else { false }
    }

    /// The server's name of the session to resume; `nil` if none is open.
    public var session: String? {
        if case .pending(let session, _) = state { session } else { nil }
    }

    /// The counted attempts since the last progress; 0 for a complete upload.
    public var attempts: Int {
        if case .pending(_, let attempts) = state { attempts } else { 0 }
    }
}

/// Coded as an object with `total`, and `receipt` or `session` and `attempts`; an absent key has its initial value.
extension AttachmentUpload: Codable {
    private enum Key: String, CodingKey { case total, session, attempts, receipt, isRepeated }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        total = max(0, try values.decode(Int64.self, forKey: .total))
        isRepeated = try values.decodeIfPresent(Bool.self, forKey: .isRepeated) ?? false
        if let receipt = try values.decodeIfPresent(String.self, forKey: .receipt) {
            state = .complete(receipt: receipt)
        } else {
            state = .pending(
                session: try values.decodeIfPresent(String.self, forKey: .session),
                attempts: max(0, try values.decodeIfPresent(Int.self, forKey: .attempts) ?? 0))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(total, forKey: .total)
        if isRepeated { try values.encode(true, forKey: .isRepeated) }
        switch state {
        case .pending(let session, let attempts):
            try values.encodeIfPresent(session, forKey: .session)
            if attempts > 0 { try values.encode(attempts, forKey: .attempts) }
        case .complete(let receipt): try values.encode(receipt, forKey: .receipt)
        }
    }
}
