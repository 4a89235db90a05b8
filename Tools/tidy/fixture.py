"""A repository of a few lines, for the tests of one rule."""

import pathlib
import tempfile

from rules.settings import STRICT
from tree import Tree

STRICT_SETTINGS = [{"tool": "swift", "kind": kind} for kind in STRICT]


def target(name, path, needs=(), products=(), kind="regular", settings=None):
    """Returns a target in the form in which the package manager prints it."""
    return {
        "name": name,
        "path": path,
        "type": kind,
        "dependencies": [{"byName": [need, None]} for need in needs]
        + [{"product": [product, "some-package", None, None]} for product in products],
        "settings": STRICT_SETTINGS if settings is None else settings,
    }


def package(identity, **requirement):
    return {"sourceControl": [{"identity": identity, "requirement": requirement or {"range": []}}]}


def manifest(*targets, packages=()):
    return {"targets": list(targets), "dependencies": list(packages)}


# One target for each folder that the fixtures put files into.
USUAL = manifest(
    target("CausewayModels", "Modules/Models"),
    target("CausewayOutbox", "Modules/Outbox"),
    target("CausewayTLS", "Modules/TLS"),
    target("CausewayRuntime", "Modules/Runtime"),
    target("causewayd", "Apps/causewayd", kind="executable"),
    target("CausewayModelsTests", "Tests/Unit/Models", kind="test"),
)


class Repository:
    """`files` by path; `tracked` are the paths that git tracks."""

    def __init__(self, files, described=None, tracked=None):
        self.folder = tempfile.TemporaryDirectory(prefix="tidy-")
        root = pathlib.Path(self.folder.name)
        for path, text in {"Package.swift": "// manifest\n", **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        self.tree = Tree(root, USUAL if described is None else described)
        self.tree.tracked = tracked

    def __enter__(self):
        return self.tree

    def __exit__(self, *_):
        self.folder.cleanup()
