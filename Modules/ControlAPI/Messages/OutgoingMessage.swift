package import CausewayModels

/// A message to send, as JSON: `channel`, and either `text` or `custom` (an object); `parent` for a reply;
/// `tags`, an array, if it has any.
package struct OutgoingMessage: Sendable, Hashable, Codable {
    package var channel: ChannelID
    package var text: String?
    package var custom: JSONValue?
    package var parent: MessageID?
    package var tags: [String]?

    package init(channel: ChannelID, text: String, parent: MessageID? = nil, tags: [String]? = nil) {
        self.channel = channel
        self.text = text
        self.parent = parent
        self.tags = tags
    }

    package init(channel: ChannelID, custom: JSONValue, parent: MessageID? = nil, tags: [String]? = nil) {
        self.channel = channel
        self.custom = custom
        self.parent = parent
        self.tags = tags
    }

    /// The content, checked against the limits.
    ///
    /// Throws ``ControlError/Code/badRequest`` unless it is exactly one of both, and
    /// ``ControlError/Code/messageInvalid`` when it, or its tags, exceed a limit.
    package func content() throws(ControlError) -> MessageContent {
        let content: MessageContent
        var codedBytes = 0
        switch (text, custom) {
        case (let text?, nil): content = .text(text)
        case (nil, let custom?):
            content = .custom(custom)
            codedBytes = content.jsonText?.count ?? .max
        default: throw ControlError(.badRequest, "a message needs either `text` or `custom`")
        }
        do throws(ContentProblem) {
            try content.validate(codedBytes: codedBytes)
        } catch {
            throw ControlError(.messageInvalid, error.description)
        }
        try Self.check(tags)
        return content
    }

    static func check(_ tags: [String]?) throws(ControlError) {
        do throws(ContentProblem) {
            _ = try MessageTags.validated(tags ?? [])
        } catch {
            throw ControlError(.messageInvalid, error.description)
        }
    }
}

/// The new content of a message, as JSON: either `text` or `custom` (an object).
package struct EditRequest: Sendable, Hashable, Codable {
    package var text: String?
    package var custom: JSONValue?

    package init(text: String? = nil, custom: JSONValue? = nil) {
        self.text = text
        self.custom = custom
    }
}

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

/// The result of ``ControlService/send(_:)``.
package struct SendReport: Sendable, Hashable, Codable {
    /// The accepted messages in their order; each is durable.
    package var ids: [MessageID]
    /// The error that ended the call early; absent when all messages were accepted.
    package var problem: ProblemDTO?

    package init(ids: [MessageID], problem: ProblemDTO? = nil) {
        self.ids = ids
        self.problem = problem
    }
}
