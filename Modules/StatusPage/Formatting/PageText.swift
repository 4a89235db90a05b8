import CausewaySystem
import Mustache

/// The content type of every text on a page: escaped, whatever it is and wherever it occurs.
///
/// Escapes scalars, not characters: a quotation mark followed by a combining accent is one `Character`, which is not a
/// quotation mark for Swift but still one for a browser. Invisible characters and those that change the reading
/// direction are escaped visibly.
package struct PageText: MustacheContentType {
    /// The name that the templates use.
    static let name = "PAGE"

    package init() {}

    package func escapeText(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in VisibleText.lines(text).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "`": result += "&#96;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
