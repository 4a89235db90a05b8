/// A reaction to add or to take back, as JSON.
package struct ReactionForm: Sendable, Hashable, Codable {
    package var name: String
    /// Absent means that it is added.
    package var remove: Bool?

    package init(name: String, isAdded: Bool) {
        self.name = name
        remove = isAdded ? nil : true
    }
}
