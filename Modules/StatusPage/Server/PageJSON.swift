import CausewayControlAPI
import HTTPTypes
import Hummingbird
import NIOCore

/// JSON responses.
enum PageJSON {
    static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws(ControlError) -> Response {
        let body = ByteBuffer(bytes: try ControlJSON.encode(value))
        return Response(
            status: status,
            headers: [.contentType: "application/json", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }
}
