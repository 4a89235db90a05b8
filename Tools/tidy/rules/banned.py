"""Constructs that are banned everywhere, or everywhere without a reason beside them."""

import re

from swift_text import matching_bracket
from tree import Finding, Rule

from .patterns import ban, findings

EVERYWHERE = [
    ban(r"@testable\b", "@testable", "test through 'package' or 'public'; what only a test needs is a missing seam"),
    ban(r"@_spi\b", "@_spi", "a seam between modules is 'package'"),
    ban(r"\btry!", "try!", "let it throw, or catch it and say what happened"),
    ban(r"\bFileHandle\s*\.\s*standard(?:Output|Error)\s*\.\s*write\s*\((?!\s*contentsOf\b)",
        "FileHandle.standardOutput.write(_:)",
        "it ends the program when the disk is full or nobody reads; use OutputHandle, or write(contentsOf:)"),
    ban(r"\bas!", "as!", "use 'as?' and handle the other case, or keep the type"),
    ban(r"\bMutex\s*<\s*\(*\s*(?:@\w+\s+)*\([^()<>]*\)\s*(?:async\s*)?(?:throws\s*(?:\(\w+\)\s*)?)?->",
        "a function in a Mutex", "put it into a structure: each withLock wraps a bare one in two more functions"),
    ban(r"(?<![.\w])fatalError\s*\(", "fatalError()",
        "throw for what comes from outside; preconditionFailure for a mistake of our own"),
]
IN_MODULES = [
    ban(r"(?<![.\w])(?<!func )(?:debugPrint|print|dump)\s*\(", "print()", "use the logger, or answer it to the caller"),
]
IN_TESTS = [
    ban(r"\bThread\s*\.\s*sleep\b", "Thread.sleep", "await the condition itself"),
    ban(r"(?<![.\w])(?<!func )(?<!case )(?:u|nano)?sleep\s*\((?!\s*\w+\s*:)", "sleep()", "await the condition itself"),
    ban(r"\bTask\s*\.\s*sleep\b", "Task.sleep", "await the condition itself, or drive a virtual clock"),
    ban(r"\.disabled\s*\(", ".disabled()", "mend the test or take it out; a skipped test proves nothing"),
    ban(r"\bXCTSkip\w*\b", "XCTSkip", "mend the test or take it out; a skipped test proves nothing"),
]

_FUNCTION_NAME = re.compile(r"\btypealias\s+(\w+)(?:<[^=]*>)?\s*=\s*[^\n=]*->")
_GUARDED_NAME = re.compile(r"\bMutex\s*[<(]\s*(?:\w+\.)*(\w+)\b(?!\s*\()")

_LOOP = re.compile(r"\bwhile\b")
_WAIT = re.compile(r"\bTask\s*\.\s*yield\b|\.\s*next\s*\(\s*\)\s*\?\.")
_LAST = re.compile(r"^(?!.*\blet\b)[^{]*\w\?\.[^{]*(?:!=|==)")
_LOOK = re.compile(r"\bisCancelled\b|\bcheckCancellation\b")

_UNSAFE = re.compile(r"@unchecked\s+Sendable\b|\bnonisolated\s*\(\s*unsafe\s*\)")
_PROOF = re.compile(
    r"sendable|safe|lock|mutex|queue|event loop|thread|immutab|never (?:changes|written)|once|race|atomic|concurren"
    r"|isolat|actor|confined",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")


def banned_calls(tree):
    for source in tree.swift:
        yield from findings("banned-call", source, EVERYWHERE)
        if source.is_in("Modules"):
            yield from findings("banned-call", source, IN_MODULES)
        if source.is_in("Tests"):
            yield from findings("banned-call", source, IN_TESTS)


def guarded_functions(tree):
    """A function in a Mutex under a name that the same file gives to its type."""
    for source in tree.swift:
        names = set(_FUNCTION_NAME.findall(source.code))
        for match in _GUARDED_NAME.finditer(source.code):
            if match.group(1) in names:
                yield Finding(source.path, source.line_at(match.start()), "guarded-function",
                              f"{match.group(1)}, a function, in a Mutex: put it into a structure: each withLock "
                              "wraps a bare one in two more functions, so that each call costs more than the last")


def loop(code, start):
    """Returns the condition of a loop and its body; None when it cannot be read."""
    opening, depth = start, 0
    while opening < len(code) and (depth or code[opening] != "{"):
        depth += (code[opening] in "([") - (code[opening] in ")]")
        opening += 1
    closing = matching_bracket(code, opening) if opening < len(code) else None
    return None if closing is None else (code[start:opening], code[opening:closing])


def endless_waits(tree):
    for source in tree.swift:
        if not source.is_in("Tests") and "/Tests/" not in source.path:
            continue
        for match in _LOOP.finditer(source.code):
            condition, body = loop(source.code, match.end()) or ("", "")
            waits = _WAIT.search(condition + body) or (".next(" in body and _LAST.search(condition))
            if waits and not _LOOK.search(condition + body):
                yield Finding(source.path, source.line_at(match.start()), "endless-wait",
                              "a loop that goes on when its test is cancelled, or when a sequence has ended: wait "
                              "with until { … }, look at Task.isCancelled, or bind the element (while let)")


def unproven(tree):
    for source in tree.swift:
        for match in _UNSAFE.finditer(source.code):
            line = source.line_at(match.start())
            if not _PROOF.search(comments_around(source, line)):
                yield Finding(source.path, line, "unproven-unsafe",
                              f"{match.group()} without a proof: say in a comment directly above, or as the first "
                              "lines of the body, what keeps it safe (which lock, which event loop, why it never "
                              "changes), or do without it")


def comments_around(source, line):
    """Returns the comment that ends on the line above and the one that begins on the line below.

    Attributes on lines of their own may stand between a comment and the line.
    """
    code, comments = source.code.split("\n"), source.comments.split("\n")
    index, found = line - 2, []
    while index >= 0 and code[index].lstrip().startswith("@") and not comments[index].strip():
        index -= 1
    while index >= 0 and comments[index].strip() and not code[index].strip():
        found.append(comments[index])
        index -= 1
    index = line
    while index < len(code) and comments[index].strip() and not code[index].strip():
        found.append(comments[index])
        index += 1
    return "\n".join(found)


def unfinished(tree):
    for path in tree.paths:
        if path.startswith("Tools/tidy/") or not is_program(tree, path):
            continue
        for number, text in enumerate(tree.text(path).splitlines(), 1):
            match = _UNFINISHED.search(text)
            if match:
                yield Finding(path, number, "unfinished",
                              f"{match.group()}: finish it, or open an issue and say here what holds today")


def is_program(tree, path):
    name = path.rsplit("/", 1)[-1]
    return name == "Makefile" or path.endswith((".swift", ".py", ".sh", ".c", ".h", ".yml", ".yaml", ".js", ".css")) \
        or tree.text(path).startswith("#!")


RULES = [
    Rule("banned-call", "banned", "calls and attributes that have a better form", banned_calls),
    Rule("guarded-function", "banned", "a call through a lock costs the same each time", guarded_functions),
    Rule("endless-wait", "banned", "a test that waits ends with its time limit", endless_waits),
    Rule("unproven-unsafe", "banned", "what the compiler cannot check carries its proof", unproven),
    Rule("unfinished", "banned", "nothing is left half done with a note", unfinished),
]
