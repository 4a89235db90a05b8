/// The kind of a message. An unknown kind is kept and shown, never discarded.
public enum MessageType: Sendable, Hashable {
    /// Plain text.
    case text
    /// A picture with a caption.
    case image
    /// A video with a caption.
    case video
    /// Audio, without a caption.
    case audio
    /// Any file with a caption.
    case file
    /// A JSON object of the application.
    case custom
    /// A kind that this build does not know, by its name.
    case unknown(String)

    /// The name of the kind on disk and on the wire.
    public var name: String {
        switch self {
        case .text: "text"
        case .image: "image"
        case .video: "video"
        case .audio: "audio"
        case .file: "file"
        case .custom: "custom"
        case .unknown(let name): name
        }
    }

    /// The kind with this ``name``; ``unknown(_:)`` if there is none.
    public init(name: String) {
        self = Self.known.first { $0.name == name } ?? .unknown(name)
    }

    /// True for the kinds that carry an attachment.
    public var isMedia: Bool {
        switch self {
        case .image, .video, .audio, .file: true
        case .text, .custom, .unknown: false
        }
    }

    private static let known: [MessageType] = [.text, .image, .video, .audio, .file, .custom]
}
