package import CausewayModels

/// `GET /v1/channels/{channel}/changes`: the changes of a part of a channel since it was read.
package struct WireChanges: Sendable, Hashable, Codable {
    /// Changed and new messages, by ascending position.
    package var messages: [WireMessage]
    /// The ids of deleted messages.
    package var gone: [MessageID]
    /// The cursor for the next request for changes.
    package var cursor: String
    /// The channel's newest position.
    package var newest: Int64
    /// False if there are too many changes, or they are unknown to the hub: then everything else is empty, and pages
    /// must be read.
    package var isComplete: Bool

    package init(messages: [WireMessage], gone: [MessageID], cursor: String, newest: Int64, isComplete: Bool) {
        self.messages = messages
        self.gone = gone
        self.cursor = cursor
        self.newest = newest
        self.isComplete = isComplete
    }

    /// Characters of a cursor.
    package static let cursorCharactersMax = 200

    /// True for text that needs no escaping in a request.
    package static func isCursor(_ text: String) -> Bool {
        (1...cursorCharactersMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
