/// A reaction to add or to remove, as JSON.
package struct ReactionRequest: Sendable, Hashable, Codable {
    package var name: String
    /// Adds the reaction when absent.
    package var remove: Bool?

    package init(name: String, isAdded: Bool) {
        self.name = name
        remove = isAdded ? nil : true
    }
}
