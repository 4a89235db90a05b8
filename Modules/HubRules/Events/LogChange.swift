package import CausewayModels

/// An entry of the log: a record of a topic has this version now.
package struct LogChange: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        case message(MessageID)
        case record(RecordKey)
    }

    package var topic: LogTopic
    package var subject: Subject
    /// That of the present state.
    package var version: Int64
    /// Whether the record began to exist with one of the changes that the entry stands for.
    package var isNew: Bool
    /// Whether the record is deleted now.
    package var isDeleted: Bool

    package init(topic: LogTopic, subject: Subject, version: Int64, isNew: Bool, isDeleted: Bool) {
        self.topic = topic
        self.subject = subject
        self.version = version
        self.isNew = isNew
        self.isDeleted = isDeleted
    }
}
