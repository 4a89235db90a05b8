/// The kind of a message. An unknown kind is kept and shown, never discarded.
public enum MessageType: Sendable, Hashable {
    case text, image, video, audio, file, custom
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
