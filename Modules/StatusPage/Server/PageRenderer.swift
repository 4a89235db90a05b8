import CausewayHTTPServer
import CausewayModels
import CausewaySystem
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Renders values into pages. Every template is parsed once.
struct PageRenderer: Sendable {
    enum Template: String, CaseIterable {
        case layout, moment, filter, pages, overview, outbox, failed, confirm, messages, message, login, problem
        case messageCell = "message-cell"
        case deleteActions = "delete-actions"

        /// The text of the template's file.
        var text: String {
            let bytes =
                switch self {
                case .layout: PackageResources.layout_mustache
                case .moment: PackageResources.moment_mustache
                case .filter: PackageResources.filter_mustache
                case .pages: PackageResources.pages_mustache
                case .overview: PackageResources.overview_mustache
                case .outbox: PackageResources.outbox_mustache
                case .failed: PackageResources.failed_mustache
                case .confirm: PackageResources.confirm_mustache
                case .messages: PackageResources.messages_mustache
                case .message: PackageResources.message_mustache
                case .login: PackageResources.login_mustache
                case .problem: PackageResources.problem_mustache
                case .messageCell: PackageResources.message_cell_mustache
                case .deleteActions: PackageResources.delete_actions_mustache
                }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private let library: MustacheLibrary
    private let socket: String

    init(socket: String) {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for template in Template.allCases {
            do {
                try library.register(template.text, named: template.rawValue)
            } catch {
                preconditionFailure("\(template.rawValue) is no template: \(error)")
            }
        }
        self.library = library
        self.socket = socket
    }

    /// - Parameter frame: the layout around the page's content.
    func page(
        _ template: Template, _ values: [String: Any], in frame: PageLayout, status: HTTPResponse.Status = .ok
    ) -> Response {
        var all = frame.view
        all.merge(values) { $1 }
        all["version"] = ProgramVersion.text
        if frame.session != nil { all["socket"] = socket }
        guard let html = library.render(all, withTemplate: template.rawValue) else {
            preconditionFailure("every template is registered")
        }
        let body = ByteBuffer(string: html)
        return Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }
}
