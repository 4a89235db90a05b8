import CausewayControlAPI
import CausewayHTTPServer
import HTTPTypes
import NIOCore

/// An error response: a status, and a text for a page or for JSON.
struct PageError: Error, Sendable {
    var status: HTTPResponse.Status
    var title: String
    var text: String
    var advice: String?
    var headers: HTTPFields = [:]
    /// True when the problem may be temporary: the page then retries by itself.
    var isPassing = false
    /// The error code of the daemon.
    var code: ControlError.Code?

    init(
        _ status: HTTPResponse.Status, title: String, text: String, advice: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.title = title
        self.text = text
        self.advice = advice
        self.headers = headers
    }

    static func forged(_ text: String) -> PageError {
        PageError(
            .forbidden, title: "Refused", text: "This request was not sent by a form of this page. " + text,
            advice: "Nothing was changed. Go back to the page, reload it and try again.")
    }

    static func badRequest(_ text: String) -> PageError {
        PageError(.badRequest, title: "Invalid request", text: text)
    }

    static let notFound = PageError(
        .notFound, title: "Not found", text: "This page does not exist.",
        advice: "The links at the top lead to every page.")

    static let tooLarge = PageError(
        .contentTooLarge, title: "Too large",
        text: "The form is larger than the \(StatusPageLimits.formBytesMax) bytes that the page accepts.")

    static let stopping: PageError = {
        var refusal = PageError(
            .serviceUnavailable, title: "The status page is stopping", text: "It is available again after a restart.",
            headers: [.retryAfter: "2"])
        refusal.isPassing = true
        refusal.code = .stopping
        return refusal
    }()

    static let readOnly = PageError(
        .forbidden, title: "Read-only", text: "Without an access token this page is read-only.",
        advice: "Start it with --token-file to resend and delete after a login, or use the command line.")

    static let needsLogin = PageError(.unauthorized, title: "Log in", text: "This page requires a login.")

    /// Converts an error of the daemon, or of the connection to it.
    init(_ error: ControlError) {
        defer { code = error.code }
        switch error.code {
        case .busy:
            self.init(
                .serviceUnavailable, title: "The daemon is busy", text: error.detail,
                advice: "The page retries automatically.")
            headers[.retryAfter] = "2"
            isPassing = true
        case .daemonUnreachable, .stopping:
            self.init(
                .serviceUnavailable, title: "The daemon does not respond", text: error.detail,
                advice: "Messages that were accepted are safe in its store. Start it again: systemctl start causewayd")
            headers[.retryAfter] = "2"
            isPassing = true
        case .responseLost:
            self.init(
                .serviceUnavailable, title: "The daemon stopped before it responded",
                text: "The request may have been carried out.", advice: "Check the lists before you repeat it.")
        case .notFound: self.init(.notFound, title: "Not found", text: error.detail)
        case .badRequest, .tooLarge, .messageInvalid:
            self.init(.badRequest, title: "Invalid request", text: error.detail)
        default:
            self.init(
                HTTPResponse.Status(code: error.code.httpStatus), title: "The daemon refused the request",
                text: error.detail)
        }
    }
}

extension ConnectionRefusal {
    /// Responds in plain text to bytes that are not a request.
    static let statusPage = ConnectionRefusal { problem in
        let text =
            switch problem {
            case .headerTooLarge:
                "The header is larger than the \(StatusPageLimits.headerBytesMax) bytes that the page accepts.\n"
            case .notHTTP: "The request is not HTTP/1.1.\n"
            case .hostInvalid: "A request needs the header field Host exactly once.\n"
            }
        let body = ByteBuffer(string: text)
        var fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .contentLength: String(body.readableBytes),
        ]
        SecurityHeadersMiddleware.protect(&fields)
        return (HTTPResponse(status: problem.status, headerFields: fields), body)
    }
}
