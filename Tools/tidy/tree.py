"""The files of the repository, as the rules see them."""

import bisect
import functools
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

import manifest as manifests
import swift_text


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Rule:
    """`check` takes a Tree and yields Findings that carry this rule's name."""

    name: str
    group: str
    summary: str
    check: object


class SwiftFile:
    """One Swift file in three views; see swift_text."""

    def __init__(self, path, text):
        self.path = path
        self.name = path.rsplit("/", 1)[-1]
        self.stem = self.name.removesuffix(".swift")
        self.text = text

    @functools.cached_property
    def _views(self):
        return swift_text.split(self.text)

    @property
    def code(self):
        return self._views[0]

    @property
    def comments(self):
        return self._views[1]

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @property
    def line_count(self):
        return len(self.lines)

    @functools.cached_property
    def _line_starts(self):
        return [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_at(self, offset):
        return bisect.bisect_right(self._line_starts, offset)

    def is_in(self, *folders):
        return self.path.startswith(tuple(folder.rstrip("/") + "/" for folder in folders))


class Tree:
    """`described` replaces the package manager's description of the manifest; tests pass one in."""

    def __init__(self, root, described=None):
        self.root = pathlib.Path(root).resolve()
        self.tracked = self._git("ls-files", "-z", "--cached")
        self.paths = sorted(path for path in self._candidates() if self._is_plain_file(path))
        self._described = described

    @functools.cached_property
    def manifest(self):
        if self._described is None:
            return manifests.load(self.root)
        return manifests.Manifest(self._described, self.text("Package.swift"))

    @functools.cached_property
    def swift(self):
        return [SwiftFile(path, self.text(path)) for path in self.paths if path.endswith(".swift")]

    @functools.cached_property
    def _texts(self):
        return {}

    def text(self, path):
        """Returns the file's text; "" when there is no such file or it is not text."""
        if path not in self._texts:
            try:
                data = (self.root / path).read_bytes()
            except OSError:
                data = b""
            self._texts[path] = "" if b"\0" in data else data.decode("utf-8", errors="replace")
        return self._texts[path]

    def target_of(self, path):
        holders = [target for target in self.manifest.targets if target.holds(path)]
        return max(holders, key=lambda target: len(target.path), default=None)

    def _candidates(self):
        if self.tracked is not None:
            return set(self.tracked) | set(self._git("ls-files", "-z", "--others", "--exclude-standard") or [])
        found = set()
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if not name.startswith(".build") and name not in (".git", "__pycache__")]
            found |= {os.path.relpath(os.path.join(folder, file), self.root) for file in files}
        return found

    def _is_plain_file(self, path):
        whole = self.root / path
        return whole.is_file() and not whole.is_symlink()

    def _git(self, *arguments):
        """Returns None when this is not a checkout: a source archive has no git, and every file in it counts."""
        try:
            done = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True, check=False)
        except OSError:
            return None
        if done.returncode != 0:
            return None
        return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]
