import CausewayModels
import Testing

struct LiteralTests {
    @Test func jsonIsWrittenAsLiterals() {
        let choice = 2
        let value: JSONValue = [
            "kind": "vote \(choice)", "choices": [1, 2.5, .null], "isOpen": true, "empty": [:],
        ]
        #expect(
            value
                == .object([
                    "kind": .string("vote 2"), "choices": .array([.integer(1), .double(2.5), .null]),
                    "isOpen": .bool(true), "empty": .object([:]),
                ]))
        #expect((["a": 1, "a": 2] as JSONValue) == ["a": 2])
    }

    @Test func theContentHasNamedParts() {
        let file = Attachment(name: "a", contentType: "image/png", size: 1, sha256: "h")
        let contents: [MessageContent] = [
            .text("hi"), .custom(["a": 1]), .image(file, caption: "look"), .file(file, caption: nil), .audio(file),
            .unknown(type: "x", body: .null),
        ]
        #expect(contents.map(\.text) == ["hi", nil, nil, nil, nil, nil])
        #expect(contents.map(\.data) == [nil, ["a": 1], nil, nil, nil, nil])
        #expect(contents.map(\.caption) == [nil, nil, "look", nil, nil, nil])
    }

    @Test func countsOfEarlierVersionsAreRead() throws {
        let text = #"{"created":1,"uploading":0,"syncing":0,"error":3,"undeliveredBytes":9}"#
        let counts = try JSONCoding.decode(StoreCounts.self, from: Array(text.utf8))
        #expect(counts.failedMessages == 3 && counts.failedChanges == 0 && counts.undelivered == 4)
    }
}
