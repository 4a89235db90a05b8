/// Decides which of the read changes a reader is sent; free of I/O.
package enum EventRules {
    package struct Part: Sendable, Equatable {
        /// The indexes of the changes to send, in the order of the log.
        package var changes: [Int]
        /// The topics of which the reader has to read pages, each once.
        package var limited: [LogTopic]
    }

    /// - Parameters:
    ///   - changes: the changes that were read, of readable topics.
    ///   - crowded: topics with too many changes to be listed.
    ///   - subscription: the topics that the reader wants; `nil` for all that it may read.
    package static func part(
        of changes: [LogChange], crowded: [LogTopic], for rights: TopicRights, subscription: Set<LogTopic>? = nil
    ) -> Part {
        func isWanted(_ topic: LogTopic) -> Bool { subscription?.contains(topic) ?? true }
        var limited = crowded.filter(isWanted)
        for change in changes where change.isNew && !change.isDeleted {
            // Changes from before the account got access are not among those after its cursor.
            guard case .record(let key) = change.subject, let topic = rights.topic(grantedBy: key),
                change.topic == rights.own, isWanted(topic), !limited.contains(topic)
            else { continue }
            limited.append(topic)
        }
        let indexes = changes.indices.filter { index in
            isWanted(changes[index].topic) && !limited.contains(changes[index].topic)
        }
        return Part(changes: indexes, limited: limited)
    }
}
