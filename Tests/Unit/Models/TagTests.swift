import CausewayModels
import Foundation
import Testing

/// Tags: their limits, their form, and the choice by them.
@Suite struct TagTests {
    @Test func tagsHaveTheirLimits() throws {
        func problem(_ tags: [String]) -> ContentProblem? {
            do throws(ContentProblem) {
                _ = try MessageTags.validated(tags)
                return nil
            } catch {
                return error
            }
        }
        let most = (1...Limits.tagsMax).map { "tag \($0)" }
        #expect(problem([]) == nil && problem(most) == nil)
        #expect(problem(most + ["one"]) == .tooManyTags(count: Limits.tagsMax + 1))
        #expect(problem(most + most) == nil)
        #expect(problem([String(repeating: "x", count: Limits.tagBytesMax)]) == nil)
        for tag in ["", "a\nb", "\u{7F}", "\u{85}", String(repeating: "\u{E9}", count: Limits.tagBytesMax / 2 + 1)] {
            #expect(problem(["a", tag]) == .tagInvalid)
        }
        #expect(try MessageTags.validated(["b", "a", "b", "e\u{301}", "\u{E9}"]) == ["b", "a", "e\u{301}"])
    }

    /// Nothing that another program stored or sent gets past the limits.
    @Test func tagsFromOutsideAreHeldToTheirLimits() {
        let many = (1...Limits.tagsMax + 5).map { "tag \($0)" }
        #expect(MessageTags.admitted(["", "a", "b\nc", "a"] + many) == Array((["a"] + many).prefix(Limits.tagsMax)))
        #expect(MessageTags.admitted(nil).isEmpty && MessageTags.admitted([]).isEmpty)
    }

    /// Stored by versions without tags, and by this one.
    @Test(
        arguments: [
            (
                #"{"clock":{"reactions":{}},"content":{"text":"a","type":"text","v":1},"myReactions":[],"#
                    + #""reactions":{}}"#,
                []
            ),
            (
                #"{"clock":{"reactions":{}},"content":{"text":"a","type":"text","v":1},"myReactions":[],"#
                    + #""reactions":{},"tags":["b","a"]}"#, ["b", "a"]
            ),
        ] as [(String, [String])])
    func aBodyIsCodedAsItAlwaysWas(golden: String, tags: [String]) throws {
        let body = try JSONDecoder().decode(MessageBody.self, from: Data(golden.utf8))
        #expect(body == MessageBody(content: .text("a"), tags: tags))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(body), as: UTF8.self) == golden)
    }

    @Test func aFilterIncludesAnyAndExcludesAll() {
        let rows: [(including: Set<String>, excluding: Set<String>, tags: [String], isAdmitted: Bool)] = [
            ([], [], ["a"], true), (["a", "b"], [], ["b"], true), (["a", "b"], [], ["c"], false),
            (["a"], [], [], false), ([], ["a", "b"], ["b", "c"], false), ([], ["a"], ["c"], true),
            ([], ["a"], [], true), (["a"], ["b"], ["a", "b"], false), (["a"], ["b"], ["a"], true),
            (["\u{E9}"], [], ["e\u{301}"], true), (["A"], [], ["a"], false),
        ]
        for row in rows {
            let filter = MessageFilter(includingTags: row.including, excludingTags: row.excluding)
            #expect(filter.admits(type: .text, parent: nil, tags: row.tags) == row.isAdmitted, "\(row)")
            #expect(filter.admitsAll == (row.including.isEmpty && row.excluding.isEmpty))
        }
        #expect(!MessageFilter(type: .custom, includingTags: ["a"]).admits(type: .text, parent: nil, tags: ["a"]))
        let many = Set((0...Limits.tagsMax).map { "\($0)" })
        #expect(MessageFilter(includingTags: ["a"], excludingTags: ["b"]).isValid)
        #expect(!MessageFilter(includingTags: many).isValid && !MessageFilter(excludingTags: [""]).isValid)
    }
}
