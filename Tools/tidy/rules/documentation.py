"""Every public declaration says what it is: the contract with applications.

A doc comment stands directly above the declaration and its attributes. Enum cases and the requirements of public
protocols are declarations like any other; each case has a comment of its own. A member needs none where its type
adopts a protocol that requires the name, for the protocol documents it. Types are compared by name: text shows no
more.
"""

import bisect
import re

from swift_text import matching_bracket
from tree import Finding, Rule

# Public declarations without a doc comment. May only fall: lower it with every one that goes.
UNDOCUMENTED_MAX = 0

_KIND = r"func|var|let|init|struct|enum|class|actor|protocol|typealias|associatedtype|subscript"
_NAME = r"[?!]?[ \t]*(?P<name>`?\w+`?|[^\s\w(<{]+)?"
_PUBLIC = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?!import\b)\w+[ \t]+)*?public[ \t]+"
    r"(?:(?!import\b)(?:@\w+|\w+(?:\(\w+\))?)[ \t]+)*"
    rf"(?P<kind>{_KIND})\b{_NAME}",
    re.MULTILINE,
)
_REQUIREMENT = re.compile(
    rf"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:\w+[ \t]+)*?(?P<kind>func|var|init|associatedtype|subscript)\b{_NAME}",
    re.MULTILINE,
)
_CASE = re.compile(r"^[ \t]*(?:@\w+[ \t]+)*(?:indirect[ \t]+)?case\b[ \t]*", re.MULTILINE)
_CASE_NAME = re.compile(r"(?P<name>`?\w+`?)[ \t]*(?:\([^)]*\))?[ \t]*(?:=[ \t]*[^,\n]+)?(?P<more>,\s*)?")
_FIRST_PARAMETER = re.compile(
    r"init[?!]?(?:<[^(]*>)?[ \t]*\(\s*(?P<label>\w+)[^:]*:\s*(?:(?:any|some)\s+)?(?P<type>\w+)"
)
_ABOVE = re.compile(r"^[ \t]*(?:(?:@\w+(?:\(.*\))?[ \t]*)+|@available.*|#if .*)$")

# A type, protocol or extension: its modifiers, its name, the protocols that it adopts, and its body.
_OWNER = re.compile(
    r"(?P<public>\bpublic[ \t]+(?:(?:\w+|@\w+)[ \t]+)*?)?"
    r"\b(?P<kind>struct|enum|class|actor|protocol|extension)[ \t]+(?P<name>`?\w+`?(?:\.\w+)*)(?P<clause>[^{}();]*)\{"
)
_WHERE = re.compile(r"\bwhere\b")
_ADOPTED = re.compile(r"(?:@?\w+[ \t]+)*(?:\w+\.)*(\w+)\s*$")
_OPENING = re.compile(r"[(\[{]")
_GENERICS = re.compile(r"<[^<>]*>")
_RAW = {"String", "Character", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"}

# The protocols of the standard library and of Combine, and the names that they require. An initialiser goes by its
# first label, and by its first type if it has none.
_COLLECTION = "Element Index Indices Iterator SubSequence makeIterator next startIndex endIndex index count subscript"
OUTSIDE = {
    "Equatable": "==",
    "Comparable": "== <",
    "Hashable": "== hash",
    "Encodable": "encode",
    "Decodable": "init(from)",
    "Codable": "encode init(from)",
    "CodingKey": "stringValue intValue init(stringValue) init(intValue)",
    "CustomStringConvertible": "description",
    "LosslessStringConvertible": "description init(String)",
    "CustomDebugStringConvertible": "debugDescription",
    "CustomReflectable": "customMirror",
    "LocalizedError": "errorDescription",
    "Error": "",
    "Identifiable": "id ID",
    "RawRepresentable": "rawValue RawValue init(rawValue)",
    "OptionSet": "rawValue RawValue init(rawValue)",
    "CaseIterable": "allCases AllCases",
    "ExpressibleByStringLiteral": "init(stringLiteral)",
    "ExpressibleByStringInterpolation": "init(stringLiteral) init(stringInterpolation)",
    "ExpressibleByIntegerLiteral": "init(integerLiteral)",
    "ExpressibleByFloatLiteral": "init(floatLiteral)",
    "ExpressibleByBooleanLiteral": "init(booleanLiteral)",
    "ExpressibleByNilLiteral": "init(nilLiteral)",
    "ExpressibleByArrayLiteral": "init(arrayLiteral)",
    "ExpressibleByDictionaryLiteral": "init(dictionaryLiteral)",
    "IteratorProtocol": "Element next",
    "Sequence": _COLLECTION,
    "Collection": _COLLECTION,
    "BidirectionalCollection": _COLLECTION,
    "RandomAccessCollection": _COLLECTION,
    "AsyncIteratorProtocol": "Element Failure next",
    "AsyncSequence": "Element Failure AsyncIterator makeAsyncIterator",
    "Publisher": "Output Failure receive",
    "Subscriber": "Input Failure receive",
    "Subscription": "request cancel",
}


class Owner:
    """The body of a type, a protocol or an extension."""

    def __init__(self, code, match, end):
        self.kind = match.group("kind")
        self.is_public = match.group("public") is not None
        self.name = match.group("name").rsplit(".", 1)[-1].strip("`")
        self.start, self.end = match.end(), end
        clause = _WHERE.split(_without_generics(match.group("clause")))[0].partition(":")[2]
        parts = [_ADOPTED.search(part) for part in re.split(r"[,&]", clause)]
        self.adopted = {part.group(1) for part in parts if part}
        self.body = _outermost(code, self.start, end)

    def members(self, pattern):
        """The matches of `pattern` outside inner brackets; their offsets count from `start`."""
        return pattern.finditer(self.body)


def _without_generics(text):
    while True:
        shorter = _GENERICS.sub("", text)
        if shorter == text:
            return text
        text = shorter


def _outermost(code, start, end):
    """The text from `start` to `end` with everything inside brackets replaced by spaces."""
    pieces, position = [], start
    while True:
        match = _OPENING.search(code, position, end)
        if match is None:
            pieces.append(code[position:end])
            return "".join(pieces)
        closing = matching_bracket(code, match.start())
        closing = end if closing is None else min(closing, end)
        pieces.append(code[position : match.end()] + re.sub(r"[^\n]", " ", code[match.end() : closing]))
        position = closing


def owners(source):
    """The bodies of a file, outer ones first."""
    found = []
    for match in _OWNER.finditer(source.code):
        end = matching_bracket(source.code, match.end() - 1)
        found.append(Owner(source.code, match, len(source.code) if end is None else end))
    return found


def _member(source, match, base=0):
    """The name of a member; that of an initialiser has its first label, or the first type."""
    name = (match.group("name") or match.group("kind")).strip("`")
    if match.group("kind") != "init":
        return match.group("kind") if match.group("kind") == "subscript" else name
    first = _FIRST_PARAMETER.match(source.code, base + match.start("kind"))
    if first is None:
        return "init()"
    return f"init({first.group('type') if first.group('label') == '_' else first.group('label')})"


class Protocols:
    """The names that protocols require, and the protocols that each type adopts anywhere."""

    def __init__(self, sources):
        self._required = {name: set(names.split()) for name, names in OUTSIDE.items()}
        self._adopted = {}
        for source in sources:
            for owner in source_owners(source):
                self._adopted.setdefault(owner.name, set()).update(owner.adopted)
                if owner.kind == "enum" and owner.adopted & _RAW:
                    self._adopted[owner.name].add("RawRepresentable")
                if owner.kind == "protocol" and owner.is_public:
                    names = self._required.setdefault(owner.name, set())
                    names.update(_member(source, match, owner.start) for match in owner.members(_REQUIREMENT))

    def required_of(self, name, also_by_itself=True):
        """The names that `name` requires if it is a protocol, and those that the protocols that it adopts require."""
        names, seen, left = set(), set(), [name]
        while left:
            adopted = left.pop()
            if adopted in seen:
                continue
            seen.add(adopted)
            if adopted != name or also_by_itself:
                names |= self._required.get(adopted, set())
            left += self._adopted.get(adopted, set())
        return names


def source_owners(source):
    """Parses a file once."""
    if not hasattr(source, "owners"):
        source.owners = owners(source)
    return source.owners


def undocumented(source, protocols):
    """Yields (line, name) of every public declaration without a doc comment."""
    found = source_owners(source)
    starts = [owner.start for owner in found]
    for match in _PUBLIC.finditer(source.code):
        owner = _innermost(found, starts, match.start("kind"))
        if owner and _member(source, match) in protocols.required_of(owner.name):
            continue
        yield from _without_comment(source, match.start("kind"), match.group("name") or match.group("kind"))
    for owner in found:
        if not owner.is_public:
            continue
        if owner.kind == "protocol":
            inherited = protocols.required_of(owner.name, also_by_itself=False)
            for match in owner.members(_REQUIREMENT):
                if _member(source, match, owner.start) not in inherited:
                    name = match.group("name") or match.group("kind")
                    yield from _without_comment(source, owner.start + match.start("kind"), name, owner)
        elif owner.kind == "enum":
            yield from _cases(source, owner)


def _cases(source, owner):
    """A comment above several cases describes none of them: only the first one counts as documented."""
    for match in owner.members(_CASE):
        case, is_first = _CASE_NAME.match(owner.body, match.end()), True
        while case is not None:
            offset, name = owner.start + case.start("name"), case.group("name").strip("`")
            if is_first:
                yield from _without_comment(source, offset, name, owner)
            else:
                yield source.line_at(offset), name
            case, is_first = _CASE_NAME.match(owner.body, case.end()) if case.group("more") else None, False


def _innermost(found, starts, offset):
    for owner in reversed(found[: bisect.bisect_right(starts, offset)]):
        if owner.end > offset:
            return owner
    return None


def _without_comment(source, offset, name, owner=None):
    number = source.line_at(offset)
    if owner and number == source.line_at(owner.start):
        # The comment above is that of its owner.
        yield number, name
        return
    above = number - 2
    while above >= 0 and _ABOVE.match(source.lines[above]):
        above -= 1
    if above < 0 or not source.lines[above].lstrip().startswith("///"):
        yield number, name.strip("`")


def documented(tree):
    sources = [source for source in tree.swift if source.is_in("Modules")]
    protocols = Protocols(sources)
    found = [
        (source.path, line, name) for source in sources for line, name in sorted(undocumented(source, protocols))
    ]
    if len(found) > UNDOCUMENTED_MAX:
        for path, line, name in found:
            yield Finding(
                path, line, "documentation", f"{name} is public without a doc comment of its own: say what it is")
    elif len(found) < UNDOCUMENTED_MAX:
        yield Finding(
            "Tools/tidy/rules/documentation.py", 1, "documentation",
            f"{len(found)} public declarations without a doc comment are left: lower UNDOCUMENTED_MAX to that",
        )


RULES = [Rule("documentation", "documentation", "public declarations have doc comments", documented)]
