package import CausewayControlAPI
import CausewayHTTP
package import CausewayModels
import Foundation
import HTTPTypes
import NIOCore
import Synchronization

/// Files over the socket: this process reads and writes them with its own rights, and the other one gets bytes.
extension ControlClient {
    /// - Parameter bytes: never a path, which may mean another file to the other process.
    package func send(_ message: OutgoingMedia, _ bytes: MediaBytes) async throws(ControlError) -> SendReport {
        guard case .parts(let size, let next) = bytes else {
            throw ControlError(.internalError, "a file is sent to the daemon by its bytes, not by its path")
        }
        let head = try ControlJSON.encode(message) + [UInt8(ascii: "\n")]
        let isBegun = Atomic(false)
        let body = RequestBodyParts(length: Int64(head.count) + size) {
            if !isBegun.exchange(true, ordering: .relaxed) { return ByteBuffer(bytes: head) }
            return try await next().map { ByteBuffer(bytes: $0) }
        }
        let request = HTTPClientRequest(
            method: .post, path: "/v1/files", fields: [.contentType: "application/vnd.causeway.file"])
        return try decoded(try await transfer(HTTPTransfer(request, body: body)))
    }

    package func readFile(
        of id: MessageID, from offset: Int64, to body: @Sendable ([UInt8]) async throws(ControlError) -> Void
    ) async throws(ControlError) {
        try await withoutActuallyEscaping(body) { (body) async throws(ControlError) in
            let sink = BodySink(body)
            defer { sink.release() }
            var fields: HTTPFields = [:]
            if offset > 0 { fields[.range] = "bytes=\(offset)-" }
            let request = HTTPClientRequest(method: .get, path: "/v1/messages/\(id)/file", fields: fields)
            let receiver = ResponseBodyReceiver { status, _ in
                status.code == (offset > 0 ? 206 : 200)
            } receive: { bytes in
                try await sink.receive(bytes)
            }
            let response = try await transfer(HTTPTransfer(request, receiver: receiver))
            guard response.status.kind != .successful else { return }
            let _: Nothing = try decoded(response)
        }
    }

    private struct Nothing: Codable {}

    private func transfer(_ transfer: HTTPTransfer) async throws(ControlError) -> HTTPClientResponse {
        do throws(HTTPTransferError) {
            return try await http.transfer(transfer)
        } catch {
            switch error {
            case .connection(let error): throw problem(error, transfer.request)
            case .body(let error as ControlError, _): throw error
            case .body(let error, _): throw ControlError(.badRequest, "the file was not sent: \(error)")
            }
        }
    }
}
