"""A file has the name of a declaration in it."""

import re

from tree import Finding, Rule

EXEMPT = {"Exports.swift", "Main.swift", "Package.swift"}

_DECLARATION = re.compile(
    r"(?<![.\w])(?P<kind>struct|class|enum|actor|protocol|extension|typealias|macro|func)\s+`?(?P<name>[A-Za-z_][\w.]*)"
)
_NOT_A_NAME = {"func", "var", "let", "subscript", "init", "struct", "class", "enum", "actor", "override", "final"}
_TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}

_VAGUE = {
    "Common", "Helper", "Helpers", "Legacy", "Manager", "Managers", "Misc", "Miscellaneous", "New", "Stuff", "Things",
    "Util", "Utilities", "Utility", "Utils", "Various",
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")


def declarations(source):
    """Yields (kind, name, offset); the name of an extension may be qualified."""
    for match in _DECLARATION.finditer(source.code):
        if match.group("name") not in _NOT_A_NAME:
            yield match.group("kind"), match.group("name"), match.start()


def file_names(tree):
    for source in tree.swift:
        found = [(kind, name) for kind, name, _ in declarations(source)]
        # A file without declarations has no name to match.
        if found and source.name not in EXEMPT and not carries(source.stem, found):
            shape = "extends" if "+" in source.stem else "declares"
            wanted = source.stem.split("+")[0]
            first = next((name for kind, name in found if kind in _TYPES), found[0][1])
            yield Finding(source.path, 1, "file-name",
                          f"nothing in it {shape} {wanted}; name the file by what it holds (it begins with {first}), "
                          "or by A+Topic.swift for an extension, A.Nested.swift for a nested type")


def carries(stem, found):
    names = {name for _, name in found}
    last = {name.rsplit(".", 1)[-1] for name in names}
    if "+" in stem:
        extended = stem.split("+")[0]
        return any(kind == "extension" and extended in (name, name.rsplit(".", 1)[-1]) for kind, name in found)
    if "." in stem:
        outer, inner = stem.rsplit(".", 1)
        return stem in names or (inner in last and bool({outer, outer.rsplit(".", 1)[-1]} & (names | last)))
    return stem in last


def vague_names(tree):
    advice = "says nothing of what it is for; name the idea"
    for source in tree.swift:
        for part in source.path.removesuffix(".swift").split("/"):
            word = vague_word(part)
            if word:
                yield Finding(source.path, 1, "vague-name", f"'{word}' in {part} {advice}")
        for kind, name, offset in declarations(source):
            word = vague_word(name) if kind in _TYPES else None
            if word:
                yield Finding(source.path, source.line_at(offset), "vague-name", f"'{word}' in {name} {advice}")


def vague_word(name):
    return next((word for word in _WORD.findall(name) if word in _VAGUE), None)


def module_type_names(tree):
    for source in tree.swift:
        target = tree.target_of(source.path)
        for kind, name, offset in declarations(source) if target else ():
            if kind in _TYPES and name == target.module:
                yield Finding(source.path, source.line_at(offset), "module-type-name",
                              f"{name} has the name of its module, which breaks qualified lookup; rename the type")


RULES = [
    Rule("file-name", "names", "a file has the name of what it declares", file_names),
    Rule("vague-name", "names", "no Utils, Helpers, Manager, New, Legacy, Misc, Common, …", vague_names),
    Rule("module-type-name", "names", "no type has the name of its module", module_type_names),
]
