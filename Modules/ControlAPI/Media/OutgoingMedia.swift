package import CausewayModels
package import Foundation

/// A message with a file to send, as JSON; the bytes of the file travel separately.
package struct OutgoingMedia: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable { case image, video, audio, file }

    package var channel: ChannelID
    package var kind: Kind
    /// The name that receivers see.
    package var name: String
    /// Absent for an audio message.
    package var caption: String?
    package var parent: MessageID?
    package var tags: [String]?
    /// A tiny preview in base64; its form is a matter of the applications.
    package var preview: String?

    package init(
        channel: ChannelID, kind: Kind, name: String, caption: String? = nil, parent: MessageID? = nil,
        tags: [String]? = nil, preview: Data? = nil
    ) {
        self.channel = channel
        self.kind = kind
        self.name = name
        self.caption = caption
        self.parent = parent
        self.tags = tags
        self.preview = preview?.base64EncodedString()
    }

    /// The bytes of the preview; `nil` without a valid one.
    package var previewBytes: [UInt8]? { preview.flatMap { Data(base64Encoded: $0) }.map(Array.init) }

    /// Checks what can be checked without the file.
    ///
    /// Throws ``ControlError/Code/badRequest`` for a caption of an audio message or an invalid preview, and
    /// ``ControlError/Code/messageInvalid`` for one beyond its limit, and for invalid tags.
    package func check() throws(ControlError) {
        try OutgoingMessage.check(tags)
        if let preview {
            if preview.isEmpty { throw ControlError(.badRequest, "the preview is empty") }
            guard let bytes = previewBytes else { throw ControlError(.badRequest, "the preview is not base64") }
            if bytes.count > Limits.previewBytesMax {
                throw ControlError(.messageInvalid, ContentProblem.previewTooLong(bytes: bytes.count).description)
            }
        }
        guard let caption else { return }
        if kind == .audio { throw ControlError(.badRequest, "an audio message has no caption") }
        if caption.utf8.count > Limits.captionBytesMax {
            throw ControlError(
                .messageInvalid, ContentProblem.captionTooLong(bytes: caption.utf8.count).description)
        }
    }
}

/// The bytes of a file to send.
package enum MediaBytes: Sendable {
    /// A file that the process with the store reads itself: only within one process, whose rights are the caller's.
    case path(String)
    /// The bytes in parts; `size` is their number.
    case parts(size: Int64, next: @Sendable () async throws -> [UInt8]?)
}

extension ControlService {
    /// Default for services without files.
    package func send(_ message: OutgoingMedia, _ bytes: MediaBytes) async throws(ControlError) -> SendReport {
        throw ControlError(.wrongState, "files cannot be sent here")
    }

    /// Default for services without files.
    package func readFile(
        of id: MessageID, from offset: Int64, to body: @Sendable ([UInt8]) async throws(ControlError) -> Void
    ) async throws(ControlError) {
        throw ControlError(.wrongState, "files cannot be read here")
    }
}
