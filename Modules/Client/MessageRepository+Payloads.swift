public import CausewayModels
import Foundation

/// Custom messages whose data are a type of the application.
///
/// Values are coded as JSON with the default strategies of `JSONEncoder` and `JSONDecoder`. Members that the type does
/// not have are ignored by the reader, so a later version may add optional ones.
///
/// ```swift
/// struct Vote: Codable { var choice: Int }
/// try await client.messages.createCustomMessage(encoding: Vote(choice: 1), in: general)
/// if let vote = try message.data(as: Vote.self) { count(vote) }
/// ```
extension MessageRepository {
    /// Creates a custom message from a value that is coded as a JSON object; otherwise like
    /// ``createCustomMessage(_:in:parent:tags:)``.
    ///
    /// Throws ``ContentProblem/customNotEncodable(detail:)`` if the value cannot be encoded.
    @discardableResult
    public func createCustomMessage(
        encoding payload: some Encodable, in channel: ChannelID, parent: MessageID? = nil, tags: [String] = []
    ) async throws(ClientError) -> MessageHandle {
        try await createCustomMessage(try Self.json(of: payload), in: channel, parent: parent, tags: tags)
    }

    /// Replaces the data of a custom message of the own account; otherwise like ``editCustomMessage(_:to:)``.
    ///
    /// Throws ``ContentProblem/customNotEncodable(detail:)`` if the value cannot be encoded.
    public func editCustomMessage(_ id: MessageID, encoding payload: some Encodable) async throws(ClientError) {
        try await editCustomMessage(id, to: try Self.json(of: payload))
    }

    private static func json(of payload: some Encodable) throws(ClientError) -> JSONValue {
        do {
            return try JSONParser.parse(Array(try JSONEncoder().encode(payload)))
        } catch {
            throw .content(.customNotEncodable(detail: String(describing: error)))
        }
    }
}

extension Message {
    /// The displayed data of a custom message as a value of the application; `nil` for any other message.
    ///
    /// Throws `DecodingError` if the data do not match the type: they come from another program, so this must be
    /// expected. Cost: linear in the bytes of the data; data of unknown shape are better read as ``Message/data``.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value? {
        guard let text = content.data.flatMap({ JSONWriter.text(of: $0) }) else { return nil }
        return try JSONDecoder().decode(type, from: Data(text))
    }
}
