import CausewayModels

/// Sanitizes a server's text for display and storage: bounded, on one line, and without the token in case the server
/// repeats it.
struct ServerTextSanitizer: Sendable {
    private let secret: [UInt8]

    init(token: AccessToken) {
        let bytes = Array(token.text.utf8)
        secret = bytes.count < HTTPTransportLimits.secretBytesMin ? [] : bytes
    }

    /// The text, cut to `Limits.reasonCharactersMax` characters.
    func cleaned(_ text: String) -> String { cleaned(text, charactersMax: Limits.reasonCharactersMax) }

    func cleaned(_ text: String, charactersMax: Int) -> String {
        var bytes = Array(text.utf8.prefix(HTTPTransportLimits.wordsBytesMax))
        if bytes.count < text.utf8.count {
            // The cut may have left the beginning of a token.
            bytes.removeLast(min(bytes.count, max(secret.count, 4)))
        }
        // Control characters are removed first, because removing them can join the text around them.
        let line = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        let clean = String(String.UnicodeScalarView(line))
        // By bytes, because a combining mark after the token would hide its last character.
        let shown =
            secret.isEmpty
            ? clean : String(decoding: Array(clean.utf8).replacing(secret, with: Array("••••".utf8)), as: UTF8.self)
        return String(shown.prefix(charactersMax))
    }

    /// A machine-readable code; short.
    func code(_ text: String) -> String { cleaned(text, charactersMax: HTTPTransportLimits.codeCharactersMax) }
}
