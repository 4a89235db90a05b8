package import Causeway

/// The new content of a message, as JSON: either `text` or `custom` (an object).
package struct EditRequest: Sendable, Hashable, Codable {
    package var text: String?
    package var custom: JSONValue?

    package init(text: String? = nil, custom: JSONValue? = nil) {
        self.text = text
        self.custom = custom
    }
}
