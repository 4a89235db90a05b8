"""Files that nothing builds, runs or refers to."""

import posixpath
import re
import urllib.parse

from tree import Finding, Rule

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]\n]+\]:\s*(\S+)", re.MULTILINE)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//", re.IGNORECASE)


def dead_sources(tree):
    own_packages = [path.removesuffix("Package.swift") for path in tree.paths if path.endswith("/Package.swift")]
    for source in tree.swift:
        if source.path == "Package.swift" or source.path.startswith(tuple(own_packages)):
            continue
        if tree.target_of(source.path) is None:
            yield Finding(source.path, 1, "dead-source",
                          "no target of Package.swift builds it; move it into one, or delete it")


def dead_scripts(tree):
    scripts = [path for path in tree.paths if path.startswith("Tools/") and is_script(tree, path)]
    readers = [path for path in tree.paths if may_name_a_script(tree, path)]
    for script in scripts:
        if not any(names_it(tree, reader, script) for reader in readers if reader != script):
            yield Finding(script, 1, "dead-script",
                          "nothing runs or mentions it; call it from the Makefile or another script, "
                          "describe it in a page, or delete it")


def is_script(tree, path):
    name = path.rsplit("/", 1)[-1]
    if re.fullmatch(r"test_\w+\.py|__init__\.py", name):
        return False  # found by unittest and by Python themselves
    return path.endswith((".sh", ".py")) or tree.text(path).startswith("#!")


def may_name_a_script(tree, path):
    return path == "Makefile" or path.startswith((".ci/", "Tools/", "Tests/")) or path.endswith(".md")


def names_it(tree, reader, script):
    text = tree.text(reader)
    if script in text:
        return True
    # The name alone suffices between files of one folder.
    tool = posixpath.dirname(script)
    if reader.startswith("Tools/") and tool != "Tools" and reader.startswith("/".join(tool.split("/")[:2]) + "/"):
        name = posixpath.basename(script)
        stem = name.removesuffix(".py")
        return re.search(rf"(?<!\w){re.escape(stem if name.endswith('.py') else name)}\b", text) is not None
    return False


def empty_files(tree):
    for path in tree.paths:
        if (tree.root / path).stat().st_size == 0 or (tree.text(path) and not tree.text(path).strip()):
            yield Finding(path, 1, "empty-file", "there is nothing in it; delete it")


def broken_links(tree):
    known = set(tree.paths)
    folders = {folder for path in tree.paths for folder in parents(path)}
    for page in (path for path in tree.paths if path.endswith(".md")):
        text = _FENCE.sub(spaces, tree.text(page))
        text = _CODE_SPAN.sub(spaces, text)
        for match in _LINK.finditer(text):
            link = match.group(1) or match.group(2)
            if _OUTSIDE.match(link):
                continue
            local = urllib.parse.unquote(link.split("#")[0].split("?")[0])
            base = "" if local.startswith("/") else posixpath.dirname(page)
            wanted = posixpath.normpath(posixpath.join(base, local.lstrip("/")))
            if wanted not in known and wanted not in folders:
                line = text.count("\n", 0, match.start()) + 1
                yield Finding(page, line, "broken-link", f"there is no {wanted}; mend the link or take it out")


def parents(path):
    yield "."
    while "/" in path:
        path = path.rsplit("/", 1)[0]
        yield path


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group())


RULES = [
    Rule("dead-source", "dead", "every Swift file is in a target", dead_sources),
    Rule("dead-script", "dead", "every script under Tools/ is called or described", dead_scripts),
    Rule("empty-file", "dead", "no file is empty", empty_files),
    Rule("broken-link", "dead", "a link from a page to a file leads somewhere", broken_links),
]
