package import CausewayModels

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The form in which stores keep the content of a message: the JSON that ``MessageContent`` defines.
///
/// Shared by all stores, so that every store counts the same bytes for the same content.
package enum ContentCoding {
    /// Encodes the content.
    ///
    /// - Throws: ``StoreError/other(detail:)`` if JSON cannot represent it, such as a number that is not finite.
    package static func encode(_ content: MessageContent) throws(StoreError) -> Data {
        if case .text(let text) = content { return encode(text: text) }
        guard let json = content.jsonText else {
            throw .other(detail: "the content of type \(content.type.name) has no JSON form")
        }
        return Data(json)
    }

    /// Decodes content that ``encode(_:)`` wrote; `nil` for any other bytes.
    package static func decode(_ bytes: Data) -> MessageContent? {
        if let text = decodeText(bytes) { return .text(text) }
        return try? JSONCoding.decode(MessageContent.self, from: Array(bytes))
    }
}
