/// Tags of a message in a column: one a line, since no tag contains a control character; `NULL` for none.
enum StoredTags {
    static func text(of tags: [String]) -> String? { tags.isEmpty ? nil : tags.joined(separator: "\n") }

    static func tags(in text: String?) -> [String] {
        text.map { $0.split(separator: "\n").map(String.init) } ?? []
    }
}
