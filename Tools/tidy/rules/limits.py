"""The maximum lengths of files, functions and lines."""

import re

from swift_text import matching_bracket
from tree import Finding, Rule

FILE_LINES_MAX = 500
FILE_LINES_WISHED = 300
FUNCTION_LINES_MAX = 70
LINE_COLUMNS_MAX = 120

_CALLABLE = re.compile(
    r"(?<![.\w`])(?:func\s+(?P<name>[^\s(<]+|<[^\s(]*)|(?P<init>init)[?!]?(?=\s*[<(])|(?P<deinit>deinit)\b"
    r"|(?P<subscript>subscript)(?=\s*[<(])|var\s+(?P<var>\w+)\s*:[^={}\n]+(?=\{))"
)
_AFTER_SIGNATURE = re.compile(
    r"[{}(\[]|\b(?:func|init|deinit|var|let|case|subscript|associatedtype|struct|class|enum|extension|protocol"
    r"|typealias)\b"
)


def functions(source):
    """Yields (name, first line, last line) of every declaration with a body of statements."""
    code = source.code
    for match in _CALLABLE.finditer(code):
        opening = _body(code, match)
        closing = matching_bracket(code, opening) if opening is not None else None
        if closing is not None:
            yield match.group(match.lastgroup), source.line_at(match.start()), source.line_at(closing)


def _body(code, match):
    position = match.end()
    if match.lastgroup not in ("deinit", "var"):
        opening = code.find("(", position)
        position = matching_bracket(code, opening) if opening >= 0 else None
        if position is None:
            return None
        position += 1
    while True:
        following = _AFTER_SIGNATURE.search(code, position)
        if following is None:
            return None
        if following.group() == "{":
            return following.start()
        if following.group() not in "([":
            return None
        closing = matching_bracket(code, following.start())
        if closing is None:
            return None
        position = closing + 1


def file_length(tree):
    for source in tree.swift:
        if source.line_count > FILE_LINES_MAX:
            yield Finding(source.path, FILE_LINES_MAX + 1, "file-length",
                          f"{source.line_count} lines, at most {FILE_LINES_MAX}; give a second idea its own file")


def function_length(tree):
    for source in tree.swift:
        for name, first, last in functions(source):
            if last - first + 1 > FUNCTION_LINES_MAX:
                yield Finding(source.path, first, "function-length",
                              f"{name} has {last - first + 1} lines, at most {FUNCTION_LINES_MAX}; name its steps")


def line_length(tree):
    for path in tree.paths:
        if not path.endswith((".swift", ".py")) and not tree.text(path).startswith("#!"):
            continue
        for number, text in enumerate(tree.text(path).splitlines(), 1):
            # An address cannot be broken.
            if len(text) > LINE_COLUMNS_MAX and "://" not in text:
                yield Finding(path, number, "line-length", f"{len(text)} columns, at most {LINE_COLUMNS_MAX}; break it")


RULES = [
    Rule("file-length", "limits", f"a Swift file has at most {FILE_LINES_MAX} lines", file_length),
    Rule("function-length", "limits", f"a function has at most {FUNCTION_LINES_MAX} lines", function_length),
    Rule("line-length", "limits", f"a line of a program has at most {LINE_COLUMNS_MAX} columns", line_length),
]
