/// The rules of tags: words that an application gives a message when it creates it, and that lists are chosen by.
///
/// A message has at most ``Limits/tagsMax`` tags, in the order given at creation, each of 1 to ``Limits/tagBytesMax``
/// bytes of UTF-8 without control characters, and each once. Two tags are the same if their characters are. No edit
/// changes them.
public enum MessageTags {
    /// Whether `tag` can be a message's tag.
    public static func isTag(_ tag: String) -> Bool {
        (1...Limits.tagBytesMax).contains(tag.utf8.count) && !tag.hasControlCharacters
    }

    /// Returns the tags without repetitions, in their order.
    ///
    /// - Throws: ``ContentProblem/tooManyTags(count:limit:)``, ``ContentProblem/tagInvalid``.
    package static func validated(_ tags: [String]) throws(ContentProblem) -> [String] {
        if tags.isEmpty { return tags }
        let distinct = withoutRepetitions(tags)
        guard distinct.count <= Limits.tagsMax else { throw .tooManyTags(count: distinct.count) }
        guard distinct.allSatisfy(isTag) else { throw .tagInvalid }
        return distinct
    }

    /// Returns those tags of a server or a file that a message can have.
    package static func admitted(_ tags: [String]?) -> [String] {
        guard let tags, !tags.isEmpty else { return [] }
        return Array(withoutRepetitions(tags.filter(isTag)).prefix(Limits.tagsMax))
    }

    private static func withoutRepetitions(_ tags: [String]) -> [String] {
        var seen: Set<String> = []
        return tags.filter { seen.insert($0).inserted }
    }
}

extension String {
    /// True if it contains a control character of ASCII or Latin-1.
    var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
