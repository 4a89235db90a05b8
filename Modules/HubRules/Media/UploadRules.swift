/// The decisions about the requests of an upload, after draft-ietf-httpbis-resumable-upload; free of I/O.
///
/// An upload has a length from its creation on, and an offset that never decreases. A request names the offset at which
/// its content begins, and whether the content is the rest of the file.
///
/// | the request | the hub |
/// | --- | --- |
/// | offset ≠ offset of the upload | refuses it: `mismatchingOffset`, with the right one |
/// | the upload is complete, with content | refuses it: `inconsistentLength` |
/// | the upload is complete, without content | refuses it: `completed` |
/// | announces more than is missing, or as the rest less or more than is missing | refuses it: `inconsistentLength` |
/// | otherwise | receives at most what is missing |
package enum UploadRules {
    /// An upload, as the hub has it.
    package struct State: Sendable, Hashable {
        /// Bytes of the whole file.
        package var length: Int64
        /// Bytes that the hub has.
        package var offset: Int64
        package var isComplete: Bool

        package init(length: Int64, offset: Int64, isComplete: Bool) {
            self.length = length
            self.offset = offset
            self.isComplete = isComplete
        }
    }

    /// A request that carries content; that of a creation begins at offset 0.
    package struct Content: Sendable, Hashable {
        /// Where the content begins.
        package var offset: Int64
        /// Whether the content is the rest of the file.
        package var isRest: Bool
        /// Bytes of the content; `nil` when they are not announced.
        package var announced: Int64?
        /// Bytes of the whole file, if the request repeats them.
        package var length: Int64?

        package init(offset: Int64, isRest: Bool, announced: Int64?, length: Int64? = nil) {
            self.offset = offset
            self.isRest = isRest
            self.announced = announced
            self.length = length
        }
    }

    package enum Verdict: Sendable, Hashable {
        /// Receive at most this many bytes; more end the upload (`exceeded`).
        case receive(bytesMax: Int64)
        case mismatchingOffset(expected: Int64, provided: Int64)
        case completed
        case inconsistentLength
    }

    package static func admit(_ content: Content, to upload: State) -> Verdict {
        guard content.offset == upload.offset else {
            return .mismatchingOffset(expected: upload.offset, provided: content.offset)
        }
        guard !upload.isComplete else { return content.announced == 0 ? .completed : .inconsistentLength }
        if let length = content.length, length != upload.length { return .inconsistentLength }
        let missing = upload.length - upload.offset
        if let announced = content.announced {
            guard announced <= missing, !content.isRest || announced == missing else { return .inconsistentLength }
        }
        return .receive(bytesMax: missing)
    }

    /// The state of an upload after the content of a request has ended.
    package enum End: Sendable, Hashable {
        /// Everything is there: verify it.
        case verify
        /// More requests follow, or the content was cut: the upload can be continued.
        case incomplete
        /// The content was to be the rest, and bytes are missing.
        case short
    }

    /// - Parameters:
    ///   - received: the bytes of the content that have arrived, at most those that were admitted.
    ///   - upload: the state before the request.
    package static func end(of content: Content, received: Int64, _ upload: State) -> End {
        // An end that comes before the announced one is a cut.
        if let announced = content.announced, received < announced { return .incomplete }
        guard content.isRest else { return .incomplete }
        return upload.offset + received == upload.length ? .verify : .short
    }

    /// The upload that makes room for another one of its account: the one that was idle longest, if that was for at
    /// least `minimum`; `nil` if all are in use.
    ///
    /// A client that missed the response to a creation, or lost its store, can neither continue nor cancel its upload.
    package static func idlest<Name: Comparable>(
        of uploads: some Sequence<(name: Name, idle: Duration)>, atLeast minimum: Duration
    ) -> Name? {
        // Of two that were idle equally long the first name.
        uploads.filter { $0.idle >= minimum }.max { ($0.idle, $1.name) < ($1.idle, $0.name) }?.name
    }
}
