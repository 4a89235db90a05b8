internal import CausewayModels

/// JSON as the hub reads and writes it: compact, keys sorted, so that equal values give equal text.
enum HubCoding {
    static func encode(_ value: some Encodable) throws -> [UInt8] { try JSONCoding.encode(value) }

    /// Encodes the object with one more member whose value is already JSON: stored text is sent as it was stored.
    static func encode(_ object: some Encodable, with name: String, _ json: some Collection<UInt8>) throws -> [UInt8] {
        var bytes = try encode(object)
        guard bytes.popLast() == UInt8(ascii: "}") else { preconditionFailure("only objects have members") }
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: "\"\(name)\":".utf8)
        bytes.append(contentsOf: json)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Encodes the object with one more member: an array of elements that are already JSON.
    static func encode(_ object: some Encodable, with name: String, arrayOf elements: [[UInt8]]) throws -> ResponseParts
    {
        var head = try encode(object, with: name, CollectionOfOne(UInt8(ascii: "[")))
        head.removeLast()
        var body = ResponseParts(head)
        for (index, element) in elements.enumerated() {
            if index > 0 { body.append([UInt8(ascii: ",")]) }
            body.append(element)
        }
        body.append(Array("]}".utf8))
        return body
    }

    /// Describes the error in a body and its location, for the client's developer; short, whatever the body contains.
    static func explanation(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "the JSON cannot be read" }
        let (path, text): ([any CodingKey], String) =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context.codingPath, context.debugDescription)
            case .keyNotFound(let key, let context):
                (context.codingPath, "“\(key.stringValue)” is missing")
            @unknown default:
                ([], "the JSON cannot be read")
            }
        let place = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        let whole = place.isEmpty ? text : "at \(place.hasPrefix(".") ? String(place.dropFirst()) : place): \(text)"
        return String(whole.prefix(HubLimits.detailCharactersMax))
    }
}
