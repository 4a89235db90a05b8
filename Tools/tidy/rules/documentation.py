"""Every public declaration says what it is: the contract with applications.

A doc comment stands directly above the declaration and its attributes. Requirements of well-known protocols need none,
nor does a member of an extension or a type that adopts them: their meaning is that of the protocol.
"""

import re

from swift_text import matching_bracket
from tree import Finding, Rule

# Public declarations without a doc comment. May only fall: lower it with every one that goes.
UNDOCUMENTED_MAX = 0

_PUBLIC = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*"
    r"(?:(?:static|final|nonisolated|indirect|convenience|mutating|override|class)[ \t]+)*"
    r"public[ \t]+(?:(?:static|final|nonisolated|indirect|convenience|mutating|class|internal\(set\)|private\(set\)"
    r"|package\(set\)|prefix|isolated)[ \t]+)*"
    r"(?P<kind>func|var|let|init|struct|enum|class|actor|protocol|typealias|subscript)\b[?!]?[ \t]*"
    r"(?P<name>`?\w+`?|[^\s\w(<]+)?",
    re.MULTILINE,
)
_ABOVE = re.compile(r"^[ \t]*(?:(?:@\w+(?:\(.*\))?[ \t]*)+|@available.*|#if .*)$")

# Requirements of the standard library's protocols, and of those that applications know.
INHERITED = {
    "==", "<", "hash", "encode", "description", "debugDescription", "customMirror", "errorDescription", "id",
    "rawValue",
    "Element", "Failure", "AsyncIterator", "Index", "Indices", "Iterator", "SubSequence", "Record", "Key", "Output",
    "makeAsyncIterator", "makeIterator", "next", "startIndex", "endIndex", "index", "count", "allCases", "receive",
}
_PARAMETER = re.compile(r"[(,]\s*(?:_[ \t]+)?(\w+)[ \t]*:")
# Initialisers of protocols, by their first label.
INHERITED_INITS = re.compile(
    r"\((?:from decoder|rawValue|_ description|stringLiteral|integerLiteral|floatLiteral|booleanLiteral|arrayLiteral"
    r"|dictionaryLiteral|unicodeScalarLiteral|extendedGraphemeClusterLiteral|stringInterpolation)\b"
)


_PROTOCOL = re.compile(r"\bpublic[ \t]+protocol[ \t]+\w+[^{]*(?=\{)")
_REQUIREMENT = re.compile(r"\b(?:func|var|associatedtype)[ \t]+`?(\w+)")


def requirements(tree):
    """The names of the members of the public protocols, which document what their implementations do."""
    names = set()
    for source in tree.swift:
        if not source.is_in("Modules"):
            continue
        for match in _PROTOCOL.finditer(source.code):
            end = matching_bracket(source.code, match.end())
            names.update(_REQUIREMENT.findall(source.code[match.end() : end]))
    return names


def undocumented(source, inherited=frozenset()):
    """Yields (line, name) of every public declaration without a doc comment."""
    lines = source.lines
    for match in _PUBLIC.finditer(source.code):
        number = source.line_at(match.start("kind"))
        kind, name = match.group("kind"), (match.group("name") or "").strip("`")
        if name in INHERITED or name in inherited or kind == "init" and _is_plain(source, match.end("kind")):
            continue
        above = number - 2
        while above >= 0 and _ABOVE.match(lines[above]):
            above -= 1
        if above < 0 or not lines[above].lstrip().startswith("///"):
            yield number, name or kind


def _is_plain(source, start):
    """True for a protocol's initialiser, and for one that only takes the values of properties, which are documented."""
    opening = source.code.find("(", start)
    closing = matching_bracket(source.code, opening) if opening >= 0 else None
    if closing is None:
        return False
    parameters = source.code[opening : closing + 1]
    if INHERITED_INITS.match(parameters):
        return True
    names = _PARAMETER.findall(parameters)
    return all(re.search(rf"\b(?:let|var)[ \t]+{name}\b", source.code) for name in names)


def documented(tree):
    inherited = requirements(tree)
    found = []
    for source in tree.swift:
        if source.is_in("Modules"):
            found += [(source.path, line, name) for line, name in undocumented(source, inherited)]
    if len(found) > UNDOCUMENTED_MAX:
        for path, line, name in found:
            yield Finding(path, line, "documentation", f"{name} is public without a doc comment: say what it is")
    elif len(found) < UNDOCUMENTED_MAX:
        yield Finding(
            "Tools/tidy/rules/documentation.py", 1, "documentation",
            f"{len(found)} public declarations without a doc comment are left: lower UNDOCUMENTED_MAX to that",
        )


RULES = [Rule("documentation", "documentation", "public declarations have doc comments", documented)]
