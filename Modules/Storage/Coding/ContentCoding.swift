package import CausewayModels

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The form in which stores keep the content of a message: the JSON that ``MessageContent`` defines.
///
/// One place, so that every store counts the same bytes for the same content.
package enum ContentCoding {
    /// The coded content. Throws ``StoreError/other(detail:)`` for what JSON cannot say, such as a number that is
    /// none.
    package static func encode(_ content: MessageContent) throws(StoreError) -> Data {
        if case .text(let text) = content { return encode(text: text) }
        guard let json = content.jsonText else {
            throw .other(detail: "the content of type \(content.type.name) has no JSON form")
        }
        return Data(json)
    }

    /// The content that ``encode(_:)`` wrote; `nil` when the bytes are something else.
    package static func decode(_ bytes: Data) -> MessageContent? {
        if let text = decodeText(bytes) { return .text(text) }
        return try? JSONCoding.decode(MessageContent.self, from: Array(bytes))
    }
}
