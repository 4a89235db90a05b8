import CausewayModels
import CausewayStorage
import Testing

/// The lines of exports, pinned: a later version reads what this one wrote.
struct EntryLineTests {
    /// One line of each type, and of each form of a message.
    static let golden = #"""
        {"current":{"server":"https://chat.example","user":"ann"},"epoch":8,"nextSequence":1545,"session":{"id":"\#
        01a208d1-39da-724f-bc2c-736459baac98","server":"https://chat.example","startedAt":1795444259291,"user":"a\#
        nn"},"sharedBelow":3,"type":"store","version":1}
        {"account":{"server":"https://chat.example","user":"ann"},"earlierOpenings":["01a208d1-80a5-7622-8d39-83d\#
        d4ac0cc80"],"eventCursor":"f506-3","history":{"claim":"7cce.0","commit":1,"id":"f506","opening":"b33e","s\#
        erver":"7cce"},"opening":"01a208d1-8cab-722b-8bae-76e3a0fd235f","outbox":"01a208d1-3868-73d1-81cf-7514e63\#
        f71cc","type":"account"}
        {"lane":"text","lastTransmitted":1,"type":"lane"}
        {"kind":"delete","lane":"text","message":"01a208d1-40b2-7405-830c-ef361c2eb405","sequence":1029,"type":"c\#
        ontrol"}
        {"kind":"fence","lane":"text","message":"01a208d1-40b2-7405-830c-ef361c2eb406","previous":7,"sequence":10\#
        31,"type":"control"}
        {"channel":"general","confirmed":{"changedAt":9,"editedAt":8,"myReactions":["like"],"reactions":{"like":2\#
        }},"content":{"text":"one","type":"text","v":1},"createdAt":1,"delivery":{"attempts":1,"history":[{"at":5\#
        ,"state":"syncing"},{"at":6,"state":"synced"}],"inDoubt":false,"lane":"text","laneSequence":2,"lastAttemp\#
        tAt":5,"previousSequence":1,"queuedAt":1,"state":"synced"},"displayed":{"clock":{"reactions":{}},"content\#
        ":{"text":"edited","type":"text","v":1},"myReactions":[],"reactions":{}},"id":"01a208d1-610e-7b44-ba39-bd\#
        fd3b2bf601","ordinal":2,"position":{"acceptedAt":7,"position":4},"sender":"ann","type":"message"}
        {"channel":"general","content":{"attachment":{"contentType":"text/plain","name":"f.txt","sha256":"5891b5b\#
        522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03","size":6},"type":"file","v":1},"createdAt":179\#
        5444269344,"delivery":{"attempts":0,"history":[],"inDoubt":false,"lane":"media","laneSequence":515,"queue\#
        dAt":1795444269344,"state":"created","upload":{"total":6}},"id":"01a208d1-610e-7b44-ba39-bdfd3b2bf680","o\#
        rdinal":515,"related":"01a208d1-610e-7b44-ba39-bdfd3b2bf601","sender":"ann","type":"message"}
        {"channel":"general","content":{"text":"two","type":"text","v":1},"createdAt":1,"delivery":{"attempts":4,\#
        "failure":{"at":9,"code":"503","detail":"busy","reason":"retriesUsedUp"},"history":[],"inDoubt":true,"lan\#
        e":"text","laneSequence":520,"queuedAt":2,"state":"error"},"id":"01a208d1-610e-7b44-ba39-bdfd3b2bf681","o\#
        rdinal":516,"sender":"ann","type":"message"}
        {"change":"edit","channel":"general","content":{"text":"edited","type":"text","v":1},"createdAt":17954442\#
        71420,"delivery":{"attempts":0,"history":[],"inDoubt":false,"lane":"operations","laneSequence":771,"queue\#
        dAt":1795444271420,"state":"created"},"id":"01a208d1-693d-7c17-acd2-c82a63c4f9eb","ordinal":771,"related"\#
        :"01a208d1-610e-7b44-ba39-bdfd3b2bf601","sender":"ann","type":"operation"}
        {"change":"addReaction","channel":"general","content":{"text":"like","type":"text","v":1},"createdAt":179\#
        5444271421,"delivery":{"attempts":0,"history":[],"inDoubt":false,"lane":"operations","laneSequence":0,"qu\#
        euedAt":1795444271421,"state":"created"},"id":"01a208d1-693d-7c17-acd2-c82a63c4f9ec","ordinal":772,"relat\#
        ed":"01a208d1-610e-7b44-ba39-bdfd3b2bf680","sender":"ann","type":"operation"}
        {"id":"general/ann","kind":"channelMember","lists":[{"key":"gAABogjRK/E=","name":"byChannel","scope":"gen\#
        eral"}],"type":"record","value":"{\"channel\":\"general\",\"joinedAt\":1795444255729,\"role\":\"owner\",\#
        \"user\":\"ann\"}","version":1}
        {"action":{"at":1795444277791,"by":"cli","channel":"general","message":"01a208d1-40b2-7405-830c-ef361c2eb\#
        405","sequence":1030,"syncState":"synced","type":"text"},"type":"deletion"}
        {"data":"aGVsbG8K","offset":0,"sha256":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"\#
        ,"size":6,"type":"file"}
        {"lines":13,"type":"end"}
        """#.split(separator: "\n")

    /// Tags came later than the other parts of a message.
    static let tagged = #"""
        {"channel":"general","confirmed":{"myReactions":[],"reactions":{},"tags":["b","a"]},"content":{"text":"o\#
        ne","type":"text","v":1},"createdAt":1,"delivery":{"attempts":0,"history":[],"inDoubt":false,"lane":"text\#
        ","laneSequence":2,"queuedAt":1,"state":"created"},"displayed":{"clock":{"reactions":{}},"content":{"text\#
        ":"edited","type":"text","v":1},"myReactions":[],"reactions":{},"tags":["b","a"]},"id":"01a208d1-610e-7b4\#
        4-ba39-bdfd3b2bf601","ordinal":2,"sender":"ann","type":"message"}
        """#

    /// Deletions of edits and reactions were told apart from those of messages later.
    static let changes = #"""
        {"action":{"at":1795444277791,"by":"cli","channel":"general","kind":"edit","message":"01a208d1-693d-7c17-\#
        acd2-c82a63c4f9eb","sequence":1032,"syncState":"error","target":"01a208d1-610e-7b44-ba39-bdfd3b2bf601","t\#
        ype":"text"},"type":"deletion"}
        {"action":{"at":1795444277792,"by":"api","channel":"general","kind":"removeReaction","message":"01a208d1-\#
        693d-7c17-acd2-c82a63c4f9ec","sequence":1033,"syncState":"created","target":"01a208d1-610e-7b44-ba39-bdfd\#
        3b2bf601","type":"text"},"type":"deletion"}
        """#.split(separator: "\n")

    @Test(arguments: golden + [Substring(tagged)] + changes)
    func eachLineIsReadAndWrittenAsItIs(_ line: Substring) throws {
        let decoded = try EntryLine(Array(line.utf8))
        let encoded = try decoded.encoded()
        #expect(try EntryLine(Array(encoded)) == decoded)
        #expect(String(decoding: encoded, as: UTF8.self) == line)
    }

    /// A store adds to them: they would overflow, and end the process.
    @Test(arguments: [
        (#""attempts":4"#, #""attempts":9223372036854775807"#),
        (#""upload":{"total":6}"#, #""upload":{"attempts":9223372036854775807,"total":6}"#),
    ])
    func attemptsThatOverflowAreRefused(_ number: String, _ large: String) throws {
        let line = try #require(Self.golden.first { $0.contains(number) })
        #expect {
            try EntryLine(Array(line.replacing(number, with: large).utf8))
        } throws: { error in
            (error as? EntryLine.Malformed)?.description.contains("out of range") == true
        }
    }

    @Test(arguments: [
        ("not JSON", "it is not JSON"), ("{}", "it has no `type`"), (#"{"type":"new"}"#, "`new` is unknown"),
        (#"{"type":"lane","lane":"text"}"#, "`lastTransmitted`"),
        (#"{"type":"store","version":2,"epoch":0,"nextSequence":1,"sharedBelow":0}"#, "version 2"),
        (#"{"type":"store","version":1,"epoch":0,"nextSequence":0,"sharedBelow":0}"#, "out of range"),
        (
            #"{"type":"store","version":1,"epoch":9223372036854775807,"nextSequence":1,"sharedBelow":0}"#,
            "out of range"
        ),
        (#"{"type":"file","sha256":"00","offset":0,"size":1,"data":""}"#, "part of a file"),
    ])
    func aMalformedLineIsNamed(_ line: String, _ words: String) {
        #expect {
            try EntryLine(Array(line.utf8))
        } throws: { error in
            (error as? EntryLine.Malformed)?.description.contains(words) == true
        }
    }
}
