"""Each rule flags violations, and passes code that only resembles them."""

import pathlib
import re
import unittest

import rules
from fixture import Repository, manifest, package, target
from rules import limits, vocabulary

GLOSSARY = pathlib.Path(__file__).resolve().parents[2] / vocabulary.GLOSSARY
ROOT_HOME = "/" + "root/x"
UNFINISHED = "FIX" + "ME"

SHORT = "func f() {\n" + "    g()\n" * (limits.FUNCTION_LINES_MAX - 2) + "}\n"
LONG = "func f() {\n" + "    g()\n" * (limits.FUNCTION_LINES_MAX - 1) + "}\n"


def models(text):
    return {"Modules/Models/Message.swift": text}


def outbox(text):
    return {"Modules/Outbox/Outbox.swift": text}


def tests(text):
    return {"Tests/Unit/Models/MessageTests.swift": text}


REQUIRES_B = "/// A.\npublic protocol A {\n    /// B.\n    func b()\n}\n"
TWO = [target("A", "Modules/A", needs=["B"], products=["NIOCore"]), target("B", "Modules/B")]
USES_BOTH = {"Modules/A/A.swift": "import B\npublic import NIOCore\nimport Foundation\n"}
THREE_LAYERS = [
    target("CausewayClient", "Modules/Client", needs=["CausewaySync"]),
    target("CausewaySync", "Modules/Sync", needs=["CausewaySQLiteStorage"]),
    target("CausewaySQLiteStorage", "Modules/SQLiteStorage", products=["GRDB"]),
]

# name of the rule: (repositories it flags, repositories it passes). A repository is its files, or its files and the
# package manager's description of it, or those two and the files tracked by git.
CASES = {
    "documentation": (
        [
            models("public struct A {}\n"),
            models("/// A.\npublic struct A {\n    public static let b = 1\n}\n"),
            models("// No doc comment.\npublic func a() {}\n"),
            models("/// A.\npublic struct A {\n    public init(b: Int) {}\n}\n"),
            models("/// A.\n@MainActor\npublic struct A {\n\n    public nonisolated var b: Int { 1 }\n}\n"),
            # An initialiser that only takes the values of properties.
            models("/// A.\npublic struct A {\n    /// B.\n    public var b: Int\n\n    public init(b: Int) {}\n}\n"),
            # Cases, also one that shares the line of another and its comment.
            models("/// A.\npublic enum A {\n    case b(Int)\n}\n"),
            models("/// A.\npublic enum A {\n    /// B.\n    case b, c\n}\n"),
            models("/// A.\npublic enum A: String { case b }\n"),
            models("/// A.\npublic enum A {\n    /// B.\n    case b(\n        c: Int)\n    case d\n}\n"),
            # Requirements.
            models("/// A.\npublic protocol A {\n    var b: Int { get }\n}\n"),
            models("/// A.\npublic protocol A {\n    associatedtype B\n}\n"),
            models("/// A.\npublic protocol A {\n    init(b: Int)\n}\n"),
            models("/// A.\npublic protocol A: LosslessStringConvertible {\n    init(_ b: Int)\n}\n"),
            models("/// A.\npublic protocol A { func b() }\n"),
            # A name that a protocol requires, in a type that does not adopt it.
            models(REQUIRES_B + "/// C.\npublic struct C {\n    public func b() {}\n}\n"),
            models(REQUIRES_B + "/// C.\npublic struct C: A {\n    public func b() {}\n    public func c() {}\n}\n"),
            models(REQUIRES_B + "extension Array where Element: A {\n    public func b() {}\n}\n"),
            models("/// A.\npublic struct A {\n    public var id: Int\n}\n"),
            models("/// A.\npublic struct A: Equatable {\n    public var description: String { \"\" }\n}\n"),
            # A protocol that is not public documents nothing.
            models("protocol A {\n    func b()\n}\n/// C.\npublic struct C: A {\n    public func b() {}\n}\n"),
        ],
        [
            models("/// A.\n@MainActor @Observable\npublic final class A {}\n"),
            models("struct A {\n    package var b: Int\n}\n// public var c\nlet d = \"public var e\"\n"),
            models("public import struct A.B\n"),
            models(
                "/// A.\npublic struct A {\n    /// B.\n    public var b: Int\n\n    /// Creates an A.\n"
                "    public init(b: Int) {}\n}\n"
            ),
            models(REQUIRES_B + "/// C.\npublic struct C: A {\n    public func b() {}\n}\n"),
            models(REQUIRES_B + "extension A {\n    public func b() {}\n}\n"),
            # Adopted elsewhere, by a refinement, among others.
            {
                **models(REQUIRES_B + "/// D.\npublic protocol D: Sendable, A where Self: Sendable {}\n"),
                **outbox("/// C.\npublic struct C<E: Hashable> {\n    public func b() {}\n}\n"),
                "Modules/Outbox/C+D.swift": "extension C: CustomStringConvertible, D {\n"
                "    public var description: String { \"\" }\n}\n",
            },
            models("/// A.\npublic struct A: Decodable {\n    public init(from decoder: any Decoder) {}\n}\n"),
            models("/// A.\npublic protocol A: Identifiable {\n    var id: Int { get }\n}\n"),
            models(
                "/// A.\npublic enum A: String {\n    /// B.\n    case b = \"c, d\"\n    /// E.\n"
                "    indirect case e(A, Int)\n"
                "    enum CodingKeys { case f, g }\n    var h: Int {\n        switch self {\n        case .b, .e: 1\n"
                "        }\n    }\n}\nenum I { case j }\n"
            ),
            models("/// A.\npublic enum A {\n    /// B.\n    @available(macOS 15, *)\n    case b\n}\n"),
            tests("public struct A {}\n"),
        ],
    ),
    "import-undeclared": (
        [
            ({"Modules/B/B.swift": "import A"}, manifest(*TWO)),
            ({"Modules/B/B.swift": "import NIOCore"}, manifest(*TWO)),
            ({"Modules/A/A.swift": "@preconcurrency public import struct NIOPosix.Thing"}, manifest(*TWO)),
            ({"Modules/A/A.swift": "@_exported public import B"}, manifest(*TWO)),
            ({"Modules/A/A.swift": "import PackagePlugin"}, manifest(*TWO)),
        ],
        [
            (USES_BOTH, manifest(*TWO)),
            ({"Modules/B/B.swift": "// import A\nlet a = \"\"\"\nimport A\n\"\"\"\n"}, manifest(*TWO)),
            (
                {"Modules/Causeway/Exports.swift": "@_exported public import B"},
                manifest(target("Causeway", "Modules/Causeway", needs=["B"]), target("B", "Modules/B")),
            ),
            ({"Modules/A/A.swift": "import DequeModule"}, manifest(target("A", "Modules/A", products=["Collections"]))),
            ({"Tools/p/P.swift": "import PackagePlugin"}, manifest(target("P", "Tools/p", kind="plugin"))),
            ({"Apps/x/M.swift": "import y_z"}, manifest(target("x", "Apps/x", ["y-z"]), target("y-z", "Modules/y"))),
        ],
    ),
    "dependency-unused": (
        [
            ({"Modules/A/A.swift": "import NIOCore"}, manifest(*TWO)),
            ({"Modules/A/A.swift": "import B"}, manifest(*TWO)),
            ({"Modules/A/A.swift": "// import B\nimport NIOCore"}, manifest(*TWO)),
        ],
        [
            (USES_BOTH, manifest(*TWO)),
            (
                {"Tests/Unit/Daemon/D.swift": "import Testing"},
                manifest(
                    target("DTests", "Tests/Unit/Daemon", needs=["causewayd"], kind="test"),
                    target("causewayd", "Apps/causewayd", kind="executable"),
                ),
            ),
        ],
    ),
    "platform-import": (
        [
            {"Modules/Hub/A.swift": "#if canImport(Glibc)\n    import Foundation\n#endif\n"},
            {"Tests/Support/A.swift": "#if os(Linux) && canImport( Musl )\n#endif\n"},
            {"Apps/x/A.swift": "internal import Glibc\n"},
        ],
        [
            {"Modules/System/A.swift": "#if canImport(Glibc)\n    import Glibc\n#endif\n"},
            {"Modules/Hub/A.swift": "// canImport(Glibc)\n#if canImport(FoundationEssentials)\n#endif\n"},
            {"Tests/Support/A.swift": "import Glibc\n"},
        ],
    ),
    "system-import": (
        [
            ({"Modules/Outbox/A.swift": "import CausewaySystem"},
             manifest(target("CausewayOutbox", "Modules/Outbox", ["CausewaySystem"]),
                      target("CausewaySystem", "Modules/System"))),
        ],
        [
            ({"Modules/Runtime/A.swift": "import CausewaySystem"},
             manifest(target("CausewayRuntime", "Modules/Runtime", ["CausewaySystem"]),
                      target("CausewaySystem", "Modules/System"))),
        ],
    ),
    "layer-never": (
        [
            ({}, manifest(*THREE_LAYERS)),
            ({}, manifest(target("CausewayModels", "Modules/Models", products=["NIOCore"]))),
            (
                {},
                manifest(target("CausewayTLS", "Modules/TLS", ["CausewayModels"]), target("CausewayModels", "M")),
            ),
            (
                {},
                manifest(target("causeway-status", "A", ["CausewayDaemon"]),
                         target("CausewayDaemon", "M", ["CausewaySync"]), target("CausewaySync", "N")),
            ),
            ({}, manifest(target("CausewayControlAPI", "M", ["CausewaySystem"]), target("CausewaySystem", "N"))),
        ],
        [
            ({}, manifest(target("CausewayOutbox", "M", ["CausewayModels"], ["DequeModule"]),
                          target("CausewayModels", "N"))),
            ({}, manifest(target("CausewaySQLiteStorage", "M", ["CausewayStorage"], ["GRDB"]),
                          target("CausewayStorage", "N"))),
            ({}, manifest(target("causeway-status", "A", ["CausewayControlClient"], ["Logging"]),
                          target("CausewayControlClient", "M", ["CausewayModels"], ["NIOCore"]),
                          target("CausewayModels", "N"))),
        ],
    ),
    "purity": (
        [models(text) for text in (
            "try await Task.sleep(for: .seconds(1))", "Task { }", "Task<Void, Never>(priority: .high) {\n}",
            "Task(operation: run)", "Task<Result<A, B>, Never> {", "Task.detached {", "let a = Date()",
            "Date(timeIntervalSinceNow: 1)", "Date.now", "ContinuousClock().now", "SuspendingClock.now",
            "SystemRandomNumberGenerator()", "Int.random(in: 0..<3)", "Bool.random()",
            "Double.random(\n  in: 0..<f(1))", "list.shuffled()", "UUID()", "DispatchQueue.main",
            "Thread.detachNewThread {", "Timer.scheduledTimer(", "usleep(3)",
            "ProcessInfo.processInfo.environment", 'log("now \\(Date())")', "arc4random()",
        )],
        [models(text) for text in (
            "Int.random(in: 0..<3, using: &source)", "list.shuffled(using: &source)", "runtime.random()",
            "func random() -> UInt64", "runtime.spawn { }", "Date(timeIntervalSince1970: 3)", "// Task.sleep",
            'let s = "Date()"', "func start() -> Task<Void, Never> {", "case one(Task<Void, Never>)",
            "let a: Task<Void, Never>?", "let a = myTask { }", "UUID(uuidString: text)",
            "enum Timer { case retry }", "clock.now", "case sleep(Int)", "sleep(until: deadline)",
            "func sleep(_ a: Duration)",
        )] + [
            {"Modules/Runtime/SystemRuntime.swift": "Task.detached { ContinuousClock().now }"},
            {"Modules/TLS/A.swift": "Task { Date() }"},
            {"Apps/causewayd/Main.swift": "ProcessInfo.processInfo"},
        ],
    ),
    "pure-machine": (
        [outbox(text) for text in (
            "func f() async {", "await g()", "actor Machine {", "import Foundation",
            "public import struct Foundation.Date", "import FoundationEssentials",
        )],
        [outbox("// await\nlet a = \"actor\"\nimport DequeModule"), models("import Foundation\nfunc f() async {}")],
    ),
    "banned-call": (
        [
            models("@testable import A"), models("@_spi(X) public func f()"), models("try! f()"), models("a as! B"),
            models('fatalError("no")'), models('print("a")'), models("debugPrint(a)"), tests("Thread.sleep(for: 1)"),
            tests("usleep(1)"), tests("try await Task.sleep(for: x)"), tests('@Test(.disabled("later")) func f()'),
            models("FileHandle.standardError.write(data)"),
            models("let a = Mutex<(@Sendable (Int) -> Void)?>(nil)"), models("let a: Mutex<() async throws -> Int>"),
            {"Apps/causeway/A.swift": "FileHandle . standardOutput\n.write(data)"},
        ],
        [
            models("try FileHandle.standardError.write(contentsOf: data)"), models("FileHandle.standardInput.close()"),
            models("try? f()"), models("a as? B"), models('preconditionFailure("no")'), models("// print(a)"),
            models("let a = Mutex<[@Sendable () -> Void]>([])"), models("let a = Mutex(Observer())"),
            models("printer.print(a)"), models("func print(_ a: Int)"), {"Apps/causewayd/A.swift": "print(1)"},
            tests("button.isDisabled(true)"), {"Modules/TLS/A.swift": "try await Task.sleep(for: x)"},
        ],
    ),
    "guarded-function": (
        [
            models("typealias Body = @Sendable (Int) async throws(E) -> Void\nlet a: Mutex<Body?>\n"),
            models("class A {\n    typealias Body = () -> Void\n    let a = Mutex(Body?.none)\n}\n"),
            models("class A {\n    typealias Body<B> = (B) -> Void\n    let a = Mutex<A.Body<Int>?>(nil)\n}\n"),
        ],
        [
            models("typealias Body = () -> Void\nstruct A { let b: Body }\nlet a: Mutex<A?>\nlet c: Mutex<[Body]>\n"),
            models("typealias Count = Int\nlet a: Mutex<Count?>\n// typealias B = () -> Void\nlet c: Mutex<B?>\n"),
        ],
    ),
    "endless-wait": (
        [
            tests("while !holds() { await Task.yield() }"), tests("while f({ $0 }) < 1 {\n    await Task.yield()\n}"),
            tests("while await a.next()?.b != .c {}"), tests("while last?.b != .c { last = await a.next() }"),
            {"Examples/a/Tests/ATests/A.swift": "while !holds() { await Task.yield() }"},
        ],
        [
            tests("while !holds(), !Task.isCancelled { await Task.yield() }"), models("while b { await Task.yield() }"),
            tests("while true {\n    try Task.checkCancellation()\n    await Task.yield()\n}"),
            tests("while let b = last, b.c?.d != .e { last = await a.next() }"),
            tests("for _ in 1...9 { await Task.yield() }"),
        ],
    ),
    "unproven-unsafe": (
        [
            models("final class A: @unchecked Sendable {}"), models("nonisolated(unsafe) var a = 1"),
            models("// guarded by the lock\n\nfinal class A: @unchecked Sendable {}"),
            models("/// A connection.\nfinal class A: @unchecked Sendable {}"),
            models("let b = 1 // guarded by the lock\nnonisolated(unsafe) var a = 1\n\n// by the lock"),
        ],
        [
            models("// Guarded by `lock`.\nfinal class A: @unchecked Sendable {}"),
            models("// Guarded by `lock`,\n// always.\n@available(macOS 15, *)\nclass A: @unchecked Sendable {}"),
            models("final class A: @unchecked Sendable {\n    // Sendable because nothing in it changes.\n}"),
            models("// @unchecked Sendable"),
        ],
    ),
    "unfinished": (
        [models(f"// {UNFINISHED}: later"), {"Tools/run.sh": f"#!/bin/sh\n# {UNFINISHED}\n"}],
        [models("// mktemp XX" + "XXXX"), {"NOTES.md": f"{UNFINISHED} is banned in programs\n"}],
    ),
    "file-length": (
        [models("let a = 1\n" * (limits.FILE_LINES_MAX + 1))],
        [models("let a = 1\n" * limits.FILE_LINES_MAX)],
    ),
    "function-length": (
        [
            models(LONG), models(LONG.replace("func f()", "init?(a: Int = { 1 }())")),
            models(LONG.replace("func f()", "deinit")), models(LONG.replace("func f()", "var a: [Int: () -> Void]")),
            models(LONG.replace("func f()", "func f<T: P>(a: (Int) -> T) throws(E) -> [T]\nwhere T: Q")),
            models(LONG.replace("func f()", "static func < (a: A, b: A) -> Bool")),
            models(LONG.replace("func f()", "subscript(a: Int) -> Int")),
        ],
        [
            models(SHORT), models("struct A {\n" + "    let a = 1\n" * 100 + "}\n"),
            models("protocol P {\n    func f() throws\n    var a: Int { get }\n}\nenum B {\n" + "case a\n" * 90 + "}"),
            models("func f() {\n    let a = \"}\"\n}\n" + "let a = 1\n" * 90),
        ],
    ),
    "line-length": (
        [models("// " + "a" * limits.LINE_COLUMNS_MAX), {"Tools/run": "#!/bin/sh\n" + "a" * 121}],
        [models("// " + "a" * (limits.LINE_COLUMNS_MAX - 3)), models("// https://" + "a" * 120), {"A.md": "a" * 200}],
    ),
    "file-name": (
        [
            models("struct Other {}"), {"Modules/Models/Message+Text.swift": "struct Message {}"},
            {"Modules/Models/Message.Part.swift": "extension Message {}"}, models("// struct Message\nenum Lane {}"),
        ],
        [
            models("struct Message {}"), models("enum Lane {}\nextension Message {}"), models("import Foundation\n"),
            models("public protocol Message: Sendable {}"),
            {"Modules/Models/Message+Text.swift": "extension Outer.Message {}"},
            {"Modules/Models/Message.Part.swift": "extension Message {\n  struct Part {} }"},
            {"Modules/Models/Message.Part.swift": "extension Message.Part {}"},
            {"Modules/Models/backoff.swift": "package func backoff(a: Int) -> Int { a }"},
            {"Apps/causewayd/Main.swift": "@main struct Daemon {}"},
        ],
    ),
    "vague-name": (
        [
            {"Modules/Models/MessageUtils.swift": "enum MessageUtils {}"}, {"Modules/Helpers/A.swift": "struct A {}"},
            {"Modules/Models/NewStore.swift": "struct NewStore {}"}, models("struct LegacyMessage {}"),
            models("final class StoreManager {}"), models("enum MiscellaneousLimits {}"),
            models("struct CommonThings {}"),
        ],
        [models("struct Message {}\nstruct Newline {}\nstruct Commonality {}"),
            models("let newHelper = 1\nlet files = FileManager.default")],
    ),
    "retired-name": (
        [
            models("struct LiveRouter {}"), models("let fence: ControlEntry"), models("f(x.giveBackAttempt())"),
            models('let a = "\\(isCautious)"'), {"Modules/Models/PlaceMark+A.swift": "extension String {}"},
            outbox("func f(round: Int) {}"), {"Tests/Unit/Outbox/A.swift": "let bench = 1"},
        ],
        [
            models("// LiveRouter\nlet a = \"LiveRouter\""), models("func f(round: Int) {}"),
            models("let notGiveBackAttempt = LiveRouters()"), {"Tests/Unit/Models/A.swift": "let bench = 1"},
        ],
    ),
    "headless-comment": (
        [models("/// What it is.\n" * (vocabulary.HEADLESS_COMMENTS_MAX + 1)),
         models("    /// Nobody waits.\n/// Whoever waits.\n" * (vocabulary.HEADLESS_COMMENTS_MAX + 1))],
        [
            models("/// What it is.\n" * vocabulary.HEADLESS_COMMENTS_MAX),
            models("/// The outbox.\n/// Whatsoever.\n// Who knows.\n" * (vocabulary.HEADLESS_COMMENTS_MAX + 1)),
        ],
    ),
    "module-type-name": (
        [{"Modules/Models/A.swift": "enum CausewayModels {}"}],
        [models("enum Models {}"), {"Modules/TLS/A.swift": "extension CausewayModels {}"}],
    ),
    "dead-source": (
        [{"Modules/Lost/A.swift": "struct A {}"}, {"A.swift": "struct A {}"}],
        [models("struct Message {}"), {"Tools/bench/Package.swift": "// own", "Tools/bench/A.swift": "struct A {}"}],
    ),
    "dead-script": (
        [
            {"Tools/lost": "#!/bin/sh\n"}, {"Tools/x/lost.py": "pass\n"},
            {"Tools/x/a.py": "import other\n", "Tools/x/other.py": "import other\n", "Makefile": "\tTools/x/ax.py\n"},
        ],
        [
            {"Tools/run": "#!/bin/sh\n", "Makefile": "run:\n\tTools/run\n"},
            {"Tools/run": "#!/bin/sh\n", "README.md": "`Tools/run` does it.\n"},
            {"Tools/x/run": "#!/bin/sh\npython3 part.py\n", "Tools/x/part.py": "pass\n", ".ci/run": "Tools/x/run\n"},
            {"Tools/x/test_a.py": "pass\n"},
        ],
    ),
    "empty-file": (
        [models(""), {"A.md": "\n\n"}],
        [models("// said why\n"), {"A.md": "a"}],
    ),
    "broken-link": (
        [
            {"README.md": "see [it](docs/gone.md)"}, {"docs/A.md": "[up](../gone.md#part)"},
            {"A.md": "[ref]: gone.md\n"}, {"A.md": "![picture](gone.png \"title\")"},
        ],
        [
            {"README.md": "[it](docs/A.md#part) [web](https://a.org/x) [here](#p)", "docs/A.md": "[up](../A.md)",
             "A.md": "a"},
            {"README.md": "[folder](docs/) `[no](gone.md)`\n```\n[no](gone.md)\n```\n", "docs/A.md": "a"},
        ],
    ),
    "home-path": (
        [models(f'let a = "{ROOT_HOME}"'), {"A.md": f"go to {ROOT_HOME}"}, {"A.md": "/" + "home/ann/causeway"}],
        [models('let a = "~/x"'), {"A.md": "https://example.org/" + "work/x and a/" + "root/b, $HOME/" + "work/x"}],
    ),
    "tracked-build": (
        [({}, None, [".build/debug/a"]), ({}, None, ["Package.resolved"]), ({}, None, ["Tools/x/__pycache__/a.pyc"])],
        [({}, None, ["Package.swift", "Tools/builder"]), ({"Package.resolved": "{}"}, None, [])],
    ),
    "strict-settings": (
        [
            ({"M/A.swift": "let a = 1"}, manifest(target("A", "M", settings=[]))),
            ({"M/A.swift": "let a = 1"}, manifest(target("A", "M", settings=[
                {"tool": "swift", "kind": {"unsafeFlags": {"_0": ["-Ounchecked"]}}},
                *target("A", "M")["settings"],
            ]))),
        ],
        [
            ({"M/A.swift": "let a = 1"}, manifest(target("A", "M"))),
            ({"M/module.modulemap": "module A"}, manifest(target("A", "M", kind="system", settings=[]))),
        ],
    ),
    "dependency-pin": (
        [
            ({}, manifest(packages=[package("a", branch=["main"])])),
            ({}, manifest(packages=[package("a", revision=["1"])])),
        ],
        [({}, manifest(packages=[package("a", range=[{"lowerBound": "1.0.0"}])]))],
    ),
    "banned-product": (
        [
            ({}, manifest(packages=[package("swift-nio-ssl")])),
            ({}, manifest(target("A", "M", products=["HummingbirdTLS"]))),
        ],
        [({}, manifest(target("A", "M", products=["Hummingbird", "NIOTLS"]), packages=[package("swift-nio")]))],
    ),
}


class RuleTests(unittest.TestCase):
    def findings(self, name, repository):
        rule = next(rule for rule in rules.ALL if rule.name == name)
        with Repository(*(repository if isinstance(repository, tuple) else (repository,))) as tree:
            return list(rule.check(tree))

    def test_every_rule_has_both_kinds_of_fixture(self):
        self.assertEqual(sorted(CASES), sorted(rule.name for rule in rules.ALL))
        self.assertTrue(all(flagged and passed for flagged, passed in CASES.values()))

    def test_rules_flag_what_they_are_for(self):
        for name, (flagged, _) in CASES.items():
            for repository in flagged:
                with self.subTest(rule=name, repository=repository):
                    found = self.findings(name, repository)
                    self.assertTrue(found)
                    self.assertEqual({finding.rule for finding in found}, {name})

    def test_rules_leave_the_rest_alone(self):
        for name, (_, passed) in CASES.items():
            for repository in passed:
                with self.subTest(rule=name, repository=repository):
                    self.assertEqual(self.findings(name, repository), [])

    def test_a_finding_names_its_place(self):
        found = self.findings("banned-call", models("let a = 1\n// try!\nlet b = \"\"\"\n\n\"\"\"; try! f()\n"))
        self.assertEqual([(finding.path, finding.line) for finding in found], [("Modules/Models/Message.swift", 5)])

    def test_rules_are_chosen_by_name_or_group(self):
        self.assertEqual(rules.matching(None), rules.ALL)
        self.assertEqual([rule.name for rule in rules.matching(["purity"])], ["purity", "pure-machine"])
        self.assertEqual([rule.name for rule in rules.matching(["file-len"])], ["file-length"])

    def test_every_former_name_of_the_glossary_is_refused(self):
        refused = set(vocabulary.RETIRED).union(*vocabulary.RETIRED_IN.values())
        rows = [line.split("|") for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        names = {name for row in rows for name in re.findall(r"`([^`]+)`", row[4])}
        self.assertGreater(len(names), 100)
        accepted = {name for name in names if not refused & set(name.split("."))}
        self.assertEqual(accepted, vocabulary.COMMON_WORDS)


if __name__ == "__main__":
    unittest.main()
