import CausewayControl
import CausewaySystem
import Mustache

/// How every text gets into a page: escaped, whatever it is and wherever it stands.
///
/// By scalars, not by characters: a quotation mark that is followed by a combining accent is one `Character`, which is
/// no quotation mark for Swift and still one for a browser. What cannot be seen or turns the reading direction around
/// is written out.
package struct PageText: MustacheContentType {
    /// The name that the templates give.
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
