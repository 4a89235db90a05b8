import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import NIOHTTP1
import Testing

/// Resumable uploads, over the real stack.
@Suite struct UploadTests {
    @Test func aFileIsUploadedInOneRequest() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 1_000_000)
            let answer = try await hub.client.create(file, content: file.bytes, isRest: true)
            #expect(answer.status == 200)
            #expect(answer.field("Upload-Complete") == "?1")
            #expect(try answer.decoded(WireReceipt.self) == WireReceipt(sha256: file.name, size: 1_000_000))
            #expect(try await hub.client.download(file).body == file.bytes)
            #expect(hub.files() == [file.name])
        }
    }

    @Test(arguments: HubFixture.StorageKind.allCases)
    func aFileIsUploadedInParts(on kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let file = SampleFile(count: 700_000)
            let created = try await hub.client.create(file, content: Array(file.bytes[..<100_000]))
            #expect(created.status == 201)
            #expect(created.offset == 100_000)
            #expect(created.field("Upload-Complete") == "?0")
            #expect(created.field("Upload-Limit")?.contains("max-size=1073741824") == true)
            let location = created.location
            let second = try await hub.client.append(
                Array(file.bytes[100_000..<650_000]), to: location, at: 100_000, isRest: false)
            #expect(second.status == 204)
            #expect(second.offset == 650_000)
            let state = try await hub.client.state(location)
            #expect(state.status == 204)
            #expect(state.offset == 650_000)
            #expect(state.field("Upload-Complete") == "?0")
            #expect(state.field("Upload-Length") == "700000")
            #expect(state.field("Cache-Control") == "no-store")
            #expect(try await !hub.client.has(file))
            let last = try await hub.client.append(
                Array(file.bytes[650_000...]), to: location, at: 650_000, isRest: true)
            #expect(last.status == 200)
            #expect(last.field("Upload-Complete") == "?1")
            #expect(try last.decoded(WireReceipt.self).sha256 == file.name)
            let end = try await hub.client.state(location)
            #expect(end.offset == 700_000)
            #expect(end.field("Upload-Complete") == "?1")
            #expect(end.field("Repr-Digest") == file.digest)
            #expect(try await hub.client.download(file).body == file.bytes)
        }
    }

    @Test func anUploadWithoutContentAndAnEmptyFileAreUploads() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let created = try await hub.client.create(file)
            #expect(created.status == 201)
            #expect(created.offset == 0)
            #expect(try await hub.client.append(file.bytes, to: created.location, at: 0, isRest: true).status == 200)
            let empty = SampleFile([])
            #expect(try await hub.client.create(empty, isRest: true).status == 200)
            #expect(try await hub.client.download(empty).body == [])
        }
    }

    /// The rest may be sent before it is known that it is the rest.
    @Test func anUploadIsCompletedWithoutContent() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let created = try await hub.client.create(file, content: file.bytes)
            #expect(created.status == 201)
            #expect(try await !hub.client.has(file))
            #expect(try await hub.client.append([], to: created.location, at: 10, isRest: true).status == 200)
            #expect(try await hub.client.has(file))
        }
    }

    @Test func interimResponsesReportTheUploadAndItsOffset() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 9_000_000)
            for (version, age) in [("8", "max-age="), ("6", "expires=")] {
                let text = try await hub.client.raw(
                    request("POST", WireProtocol.uploadsPath, file, version: version, hub) + file.bytes)
                let parts = text.components(separatedBy: "\r\n\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }
                let interim = parts.filter { $0.hasPrefix("HTTP/1.1 104 Upload Resumption Supported") }
                // One at the beginning, then one each 4 MiB; more of them on a busy machine, because time counts, too.
                #expect(interim.count >= 3, "\(parts)")
                #expect(interim[0].contains("Location: /v1/uploads/"))
                #expect(interim[0].contains("Upload-Limit: max-size=") && interim[0].contains(age))
                #expect(interim.allSatisfy { $0.contains("Upload-Draft-Interop-Version: \(version)") })
                let offsets = interim.compactMap { $0.firstMatch(of: /Upload-Offset: ([0-9]+)/).flatMap { Int($0.1) } }
                #expect(offsets.count == interim.count - 1 && offsets == Set(offsets).sorted())
                #expect(parts.last?.hasPrefix("HTTP/1.1 200 OK") == true)
            }
            for version in ["7", "", "8, 8"] {
                let text = try await hub.client.raw(
                    request("POST", WireProtocol.uploadsPath, file, version: version, hub) + file.bytes)
                #expect(!text.contains(" 104 "), "version \(version)")
                #expect(text.contains("HTTP/1.1 200 OK"))
            }
        }
    }

    /// A client that expects it is told to continue, however large the file is.
    @Test func aClientThatWaitsIsToldToContinue() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 5_000_000)
            let head = request(
                "POST", WireProtocol.uploadsPath, file, version: "8", hub, more: "Expect: 100-continue\r\n")
            let text = try await hub.client.raw(head + file.bytes)
            #expect(text.contains("HTTP/1.1 100 Continue"))
            #expect(text.contains("HTTP/1.1 200 OK"))
        }
    }

    private func request(
        _ method: String, _ path: String, _ file: SampleFile, version: String, _ hub: HubFixture, more: String = ""
    ) -> [UInt8] {
        Array(
            """
            \(method) \(path) HTTP/1.1\r
            Host: a\r
            Connection: close\r
            Authorization: Bearer \(hub.client.token ?? "")\r
            Upload-Draft-Interop-Version: \(version)\r
            Upload-Complete: ?1\r
            Upload-Length: \(file.bytes.count)\r
            Content-Length: \(file.bytes.count)\r
            Repr-Digest: \(file.digest)\r
            \(more)\r

            """.utf8)
    }

    // MARK: - Refusals

    @Test func fieldsThatAreMissingOrMalformedAreNamed() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let rows: [(HTTPHeaders, String)] = [
                (["Upload-Complete": "yes"], "completenessMissing"), (["Upload-Complete": "1"], "completenessMissing"),
                (["Upload-Length": "-1"], "lengthMissing"), (["Upload-Length": "1e3"], "lengthMissing"),
                (["Repr-Digest": "md5=:AAAA:"], "digestMissing"), (["Repr-Digest": "sha-256=:AAAA:"], "digestMissing"),
                (["Content-Type": String(repeating: "a", count: 300)], "contentTypeInvalid"),
            ]
            for (headers, code) in rows {
                let answer = try await hub.client.create(file, headers: headers)
                #expect(answer.status == 400)
                #expect(answer.errorCode == code, "\(headers)")
            }
            let location = try await hub.client.create(file).location
            let wrong: [(HTTPHeaders, Int, String)] = [
                (["Content-Type": "application/octet-stream"], 415, "contentTypeUnsupported"),
                (["Upload-Offset": "x"], 400, "offsetMissing"), (["Upload-Complete": ""], 400, "completenessMissing"),
            ]
            for (headers, status, code) in wrong {
                let answer = try await hub.client.append([1], to: location, at: 0, isRest: false, headers: headers)
                #expect(answer.status == status)
                #expect(answer.errorCode == code, "\(headers)")
            }
            #expect(try await hub.client.state(location).offset == 0)
        }
    }

    /// `Repr-Digest` is a dictionary whose members have parameters (RFC 9651).
    @Test func aDigestHasParametersAndNeighbors() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let digest = file.digest
            let base64 = digest.dropFirst("sha-256=:".count).dropLast()
            for text in [
                "\(digest);p=1", "md5=:AAAA:;a=\"x, sha-256=1\", \(digest);b;c=\"x;\\\", y\"",
                "sha-256=:AAAA:,\(digest)", "sha-256;a,\(digest)", "sha-256=:\(base64.dropLast()):",
            ] {
                let answer = try await hub.client.create(file, headers: ["Repr-Digest": text])
                #expect(answer.status == 201, "\(text)")
                #expect(try await hub.client.send(.DELETE, answer.location).status == 204)
            }
            for text in [
                digest.uppercased(), "\(digest), sha-256=1", "\(digest), sha-256", "sha-256=\(base64)", "sha-256=:",
                "sha-256=:\(base64)", "sha-256=::", "a=\"\(digest)\"", "a=\"x, \(digest)",
            ] {
                let answer = try await hub.client.create(file, headers: ["Repr-Digest": text])
                #expect(answer.errorCode == "digestMissing", "\(text)")
            }
        }
    }

    @Test func theOffsetMustBeThatOfTheUpload() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let location = try await hub.client.create(file, content: Array(file.bytes[..<4])).location
            for offset in [0, 3, 5, 10] {
                let answer = try await hub.client.append([9], to: location, at: offset, isRest: false)
                #expect(answer.status == 409)
                #expect(answer.problem == "mismatching-upload-offset")
                #expect(answer.offset == 4)
                let body = try answer.decoded(JSONValue.self)
                #expect(body["expected-offset"] == .integer(4))
                #expect(body["provided-offset"] == .integer(Int64(offset)))
            }
            #expect(
                try await hub.client.append(Array(file.bytes[4...]), to: location, at: 4, isRest: true).status == 200)
        }
    }

    @Test func aCompleteUploadIsNotChanged() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let location = try await hub.client.create(file, content: file.bytes, isRest: true).location
            let again = try await hub.client.append([], to: location, at: 10, isRest: true)
            #expect(again.status == 400)
            #expect(again.problem == "completed-upload")
            let more = try await hub.client.append([1], to: location, at: 10, isRest: true)
            #expect(more.status == 400)
            #expect(more.problem == "inconsistent-upload-length")
            #expect(try await hub.client.download(file).body == file.bytes)
        }
    }

    @Test func lengthsMustAgree() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let created = try await hub.client.create(
                file, content: file.bytes, isRest: true, headers: ["Upload-Length": "11"])
            #expect(created.status == 400)
            #expect(created.problem == "inconsistent-upload-length")
            let location = try await hub.client.create(file).location
            for (count, isRest, length) in [(11, false, nil), (9, true, nil), (5, false, "12")]
                as [(Int, Bool, String?)]
            {
                let answer = try await hub.client.append(
                    Array(repeating: 0, count: count), to: location, at: 0, isRest: isRest,
                    headers: length.map { ["Upload-Length": $0] } ?? [:])
                #expect(answer.status == 400)
                #expect(answer.problem == "inconsistent-upload-length")
            }
            #expect(try await hub.client.append(file.bytes, to: location, at: 0, isRest: true).status == 200)
        }
    }

    /// In chunks the length is not announced: the upload ends with the first byte too many.
    @Test func moreBytesThanTheFileHasEndTheUpload() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 4)
            let location = try await hub.client.create(file).location
            let text = try await hub.client.raw(
                chunked(location, hub, ["1234", "5"]))
            #expect(text.hasPrefix("HTTP/1.1 400"))
            #expect(text.contains("#inconsistent-upload-length"))
            #expect(try await hub.client.state(location).status == 404)
            #expect(hub.files() == [])
        }
    }

    @Test func chunksAreContent() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(Array("12345".utf8))
            let location = try await hub.client.create(file).location
            let text = try await hub.client.raw(chunked(location, hub, ["12", "345"]))
            #expect(text.hasPrefix("HTTP/1.1 200"))
            #expect(try await hub.client.download(file).text == "12345")
        }
    }

    private func chunked(_ location: String, _ hub: HubFixture, _ chunks: [String]) -> [UInt8] {
        let head = """
            PATCH \(location) HTTP/1.1\r
            Host: a\r
            Connection: close\r
            Authorization: Bearer \(hub.client.token ?? "")\r
            Upload-Complete: ?1\r
            Upload-Offset: 0\r
            Content-Type: application/partial-upload\r
            Transfer-Encoding: chunked\r
            \r

            """
        let body = chunks.map { "\($0.utf8.count)\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        return Array((head + body).utf8)
    }

    @Test func bytesWithAnotherHashAreNotStored() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            var lie = file.bytes
            lie[3] ^= 1
            let created = try await hub.client.create(file, content: lie, isRest: true)
            #expect(created.status == 400)
            #expect(created.errorCode == "hashMismatch")
            #expect(created.field("Upload-Complete") == "?1")
            #expect(try await !hub.client.has(file))
            #expect(hub.files() == [])
            let location = try await hub.client.create(file, content: Array(lie[..<5])).location
            let last = try await hub.client.append(Array(lie[5...]), to: location, at: 5, isRest: true)
            #expect(last.errorCode == "hashMismatch")
            #expect(try await hub.client.state(location).status == 404)
            #expect(hub.files() == [])
        }
    }

    // MARK: - Accounts and limits

    @Test func anUploadBelongsToItsAccount() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let file = SampleFile(count: 10)
            let location = try await hub.client.create(file).location
            #expect(try await other.state(location).status == 404)
            #expect(try await other.append(file.bytes, to: location, at: 0, isRest: true).errorCode == "uploadNotFound")
            #expect(try await other.send(.DELETE, location).errorCode == "uploadNotFound")
            for path in [location, WireProtocol.uploadsPath, WireProtocol.blobPath(file.name)] {
                for method in [.HEAD, .PATCH, .DELETE, .POST, .OPTIONS, .GET] as [HTTPMethod] {
                    let answer = try await HubClient(port: hub.port).send(method, path)
                    #expect([401, 405, 429].contains(answer.status), "\(method) \(path)")
                }
            }
            #expect(try await hub.client.state(location).offset == 0)
        }
    }

    @Test func anUploadIsCancelled() async throws {
        try await HubFixture.running { hub in
            let file = SampleFile(count: 10)
            let location = try await hub.client.create(file, content: [1, 2, 3]).location
            #expect(hub.files().count == 1)
            #expect(try await hub.client.send(.DELETE, location).status == 204)
            #expect(try await hub.client.state(location).status == 404)
            #expect(hub.files() == [])
        }
    }

    @Test func limitsAreAnnouncedAndKept() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.fileBytesMax = 1000
            $0.blobs.quotaBytes = 1500
            $0.blobs.pendingUploadsMax = 2
        }
        try await HubFixture.running(change: change) { hub in
            let limits = try await hub.client.send(.OPTIONS, WireProtocol.uploadsPath)
            #expect(limits.status == 204)
            #expect(limits.field("Accept-Patch") == "application/partial-upload")
            let text = try #require(limits.field("Upload-Limit"))
            for member in [
                "max-size=1000", "uploads=2", "uploads-left=2", "quota=1500", "quota-left=1500", "min-rate=",
            ] {
                #expect(text.contains(member), "\(member) in \(text)")
            }
            let large = try await hub.client.create(SampleFile(count: 1001))
            #expect(large.status == 413)
            #expect(large.errorCode == "fileTooLarge")
            #expect(large.field("Upload-Limit")?.contains("max-size=1000") == true)
            let first = SampleFile(count: 900)
            try await hub.client.upload(first)
            let over = try await hub.client.create(SampleFile(count: 601))
            #expect(over.status == 507)
            #expect(over.errorCode == "quotaExceeded")
            for number in 1...2 {
                #expect(try await hub.client.create(SampleFile(count: 100, seed: UInt64(number))).status == 201)
            }
            let left = try await hub.client.send(.OPTIONS, WireProtocol.uploadsPath).field("Upload-Limit")
            #expect(left?.contains("uploads-left=0") == true)
            #expect(left?.contains("quota-left=400") == true)
            let third = try await hub.client.create(SampleFile(count: 10))
            #expect(third.status == 429)
            #expect(third.errorCode == "tooManyUploads")
            #expect(third.field("Retry-After") != nil)
            // The other account has limits of its own.
            #expect(try await hub.client(of: "other").create(SampleFile(count: 1000)).status == 201)
        }
    }

    /// Uploads that no client knows any longer, such as after a lost response, do not stop an account.
    @Test(arguments: HubFixture.StorageKind.allCases)
    func theUploadThatWasIdleLongestMakesRoom(on kind: HubFixture.StorageKind) async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.pendingUploadsMax = 2
            $0.blobs.quotaBytes = 1000
        }
        try await HubFixture.running(on: kind, change: change) { hub in
            func create(_ count: Int, seed: UInt64) async throws -> HubClient.Answer {
                try await hub.client.create(SampleFile(count: count, seed: seed), content: [1])
            }
            let first = try await create(100, seed: 1).location
            let second = try await create(100, seed: 2).location
            #expect(try await create(100, seed: 3).errorCode == "tooManyUploads", "both are in use")
            try hub.age(first, minutes: 10)
            try hub.age(second, minutes: 20)
            // No room could be made for this one.
            #expect(try await create(1001, seed: 3).errorCode == "tooManyUploads")
            #expect(try await hub.client.state(second).status == 204)
            let third = try await create(100, seed: 3)
            #expect(third.status == 201)
            #expect(try await hub.client.state(second).status == 404)
            #expect(try await hub.client.state(first).offset == 1)
            #expect(try await hub.client.state(third.location).offset == 1)
            #expect(hub.files().count == 2)
            // Its size counts towards the quota.
            let large = try await create(900, seed: 4)
            #expect(large.status == 201)
            #expect(try await hub.client.state(first).status == 404)
            try hub.age(large.location, minutes: 4)
            #expect(try await hub.client.send(.DELETE, third.location).status == 204)
            #expect(try await create(200, seed: 5).errorCode == "quotaExceeded")
            try hub.age(large.location, minutes: 6)
            #expect(try await create(200, seed: 5).status == 201)
            #expect(hub.files().count == 1)
        }
    }

    @Test func aFullDiskIsReportedAndLeavesNothing() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.blobs.freeBytesMin = 1 << 62
        }
        try await HubFixture.running(change: change) { hub in
            let answer = try await hub.client.create(SampleFile(count: 10), content: [1, 2], isRest: false)
            #expect(answer.status == 507)
            #expect(answer.errorCode == "storageFull")
            #expect(hub.files() == [])
            #expect(try await hub.client.report(delivery([send(1)])).kinds == [.accepted])
        }
    }
}

extension HubFixture {
    /// Makes an upload look as if its last bytes had arrived so long ago.
    func age(_ location: String, minutes: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60 * Double(minutes))],
            ofItemAtPath: try part(of: location))
    }

    /// The names of all files below the folder of blobs.
    func files() -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder.blobs)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.blobs + "/" + path)
            return attributes?[.type] as? FileAttributeType == .typeRegular
        }.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted()
    }
}
