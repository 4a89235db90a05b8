import CausewayHubRules
import CausewayModels
import CausewayTLS
import CausewayWire
import Foundation
import NIOHTTP1

/// A file of a test.
struct SampleFile {
    let bytes: [UInt8]
    let type: String

    init(_ bytes: [UInt8], type: String = "application/octet-stream") {
        self.bytes = bytes
        self.type = type
    }

    /// Bytes without a pattern that a fault could leave unchanged.
    init(count: Int, seed: UInt64 = 1) {
        var state = seed
        self.init(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            })
    }

    static let png = SampleFile([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [1, 2, 3], type: "image/png")

    var sha256: [UInt8] { Digest.sha256(bytes) }
    var name: String { Hexadecimal.text(of: sha256) }
    var digest: String { "sha-256=:\(Data(sha256).base64EncodedString()):" }

    /// The content of a message with the file.
    func image(name: String = "cat.png", size: Int64? = nil) -> MessageContent {
        .image(
            Attachment(name: name, contentType: type, size: size ?? Int64(bytes.count), sha256: self.name),
            caption: nil)
    }
}

extension HubClient {
    /// Begins an upload.
    func create(
        _ file: SampleFile, content: [UInt8] = [], isRest: Bool = false, headers extra: HTTPHeaders = [:]
    ) async throws -> Answer {
        var headers: HTTPHeaders = [
            "Upload-Draft-Interop-Version": "8", "Upload-Complete": isRest ? "?1" : "?0",
            "Upload-Length": "\(file.bytes.count)", "Repr-Digest": file.digest, "Content-Type": file.type,
        ]
        if content.isEmpty { headers.add(name: "Content-Length", value: "0") }
        for (name, value) in extra { headers.replaceOrAdd(name: name, value: value) }
        return try await send(.POST, WireProtocol.uploadsPath, content, headers: headers)
    }

    func append(
        _ bytes: [UInt8], to location: String, at offset: Int, isRest: Bool, headers extra: HTTPHeaders = [:]
    ) async throws -> Answer {
        var headers: HTTPHeaders = [
            "Upload-Draft-Interop-Version": "8", "Upload-Complete": isRest ? "?1" : "?0",
            "Upload-Offset": "\(offset)", "Content-Type": "application/partial-upload",
        ]
        if bytes.isEmpty { headers.add(name: "Content-Length", value: "0") }
        for (name, value) in extra { headers.replaceOrAdd(name: name, value: value) }
        return try await send(.PATCH, location, bytes, headers: headers)
    }

    /// Uploads a whole file, and returns the receipt.
    @discardableResult
    func upload(_ file: SampleFile) async throws -> WireReceipt {
        let answer = try await create(file, content: file.bytes, isRest: true)
        guard answer.status == 200 else { throw Unexpected(status: answer.status, text: answer.text) }
        return try answer.decoded(WireReceipt.self)
    }

    func state(_ location: String) async throws -> Answer { try await send(.HEAD, location) }

    func has(_ file: SampleFile) async throws -> Bool {
        try await send(.HEAD, WireProtocol.blobPath(file.name)).status == 200
    }

    func download(
        _ file: SampleFile, headers: HTTPHeaders = [:], through message: UInt64? = nil
    ) async throws -> Answer {
        let query = message.map { "?message=\(id($0))" } ?? ""
        return try await send(.GET, WireProtocol.blobPath(file.name) + query, headers: headers)
    }
}

extension HubClient.Answer {
    func field(_ name: String) -> String? { headers.first(name: name) }
    var offset: Int? { field("Upload-Offset").flatMap { Int($0) } }
    var location: String { field("Location") ?? "none" }
    /// The problem type of a resumable upload, without its registry.
    var problem: String? {
        guard field("Content-Type") == "application/problem+json",
            let type = try? decoded(JSONValue.self)["type"]?.string
        else { return nil }
        return type.split(separator: "#").last.map(String.init)
    }
}
