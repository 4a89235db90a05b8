import CausewayTLS
import HTTPTypes
import Hummingbird

/// The rules against requests that another site makes in a user's name (CSRF). Pure: the claims of a request in, the
/// verdict out.
///
/// | request | requirement |
/// | --- | --- |
/// | any | a `Host` of this page |
/// | a read | not embedded in another site's page: no image, frame, script or fetch of one |
/// | a change | `POST`, the exact `Origin`, `Sec-Fetch-Site: same-origin`, a plain form, the session's secret |
enum CrossSiteRequestRules {
    static let fetchSite = name("Sec-Fetch-Site")
    static let fetchMode = name("Sec-Fetch-Mode")
    static let fetchDestination = name("Sec-Fetch-Dest")

    static let host = name("Host")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a field's name") }
        return name
    }

    /// The reason why a read is refused; `nil` when it is not.
    static func problemOfReading(_ fields: HTTPFields) -> String? {
        if let destination = fields[fetchDestination], ["iframe", "frame", "embed", "object"].contains(destination) {
            return "The page cannot be shown inside another page."
        }
        guard let site = fields[fetchSite], site != "same-origin", site != "none" else { return nil }
        // A link on another site may lead here; no other cross-site request may.
        guard fields[fetchMode] == "navigate", fields[fetchDestination] == "document" else {
            return "The request comes from another site's page."
        }
        return nil
    }

    /// Whether a user made the request by a click or a key: the requests that a page makes by itself are marked.
    static func isByPerson(_ request: Request) -> Bool {
        request.method == .post || (request.headers[fetchMode] ?? "navigate") == "navigate"
    }

    /// The reason why a change is refused before its form is read; `nil` when it is not.
    static func problemOfChanging(_ fields: HTTPFields, origin: WebOrigin) -> PageError? {
        guard fields[values: .origin] == [origin.description] else {
            return .forged("Its Origin is not this page.")
        }
        guard fields[values: fetchSite] == ["same-origin"] else {
            return .forged("Its Sec-Fetch-Site is not this page.")
        }
        guard fields[values: .contentType] == ["application/x-www-form-urlencoded"] else {
            return PageError(
                .unsupportedMediaType, title: "Not a form",
                text: "Only the forms of this page can request actions.")
        }
        return nil
    }

    /// Whether the form contains the secret; takes the same time for every wrong one of its length.
    static func hasValidCSRFToken(_ secret: String, _ form: FormFields) -> Bool {
        let given = form.all("csrf")
        guard given.count == 1, let text = given.first else { return false }
        return Digest.constantTimeEqual(Array(text.utf8), Array(secret.utf8))
    }
}
