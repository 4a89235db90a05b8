"""The content of Package.swift, as the package manager reads it.

`swift package dump-package` evaluates the manifest without resolving or building anything. It still takes
half a second, so its output is cached under .build, by the hash of the manifest.
"""

import hashlib
import json
import os
import re
import subprocess
import tempfile

# Products whose modules have other names than the product. Every other product is assumed to contain one module of its
# own name.
MODULES_OF_PRODUCT = {
    "Collections": {"BitCollections", "Collections", "DequeModule", "HashTreeCollections", "HeapModule",
                    "OrderedCollections"},
    "HummingbirdWebSocket": {"HummingbirdWebSocket", "WSCore"},
    "Metrics": {"CoreMetrics", "Metrics"},
    "NIO": {"NIO", "NIOCore", "NIOEmbedded", "NIOPosix"},
}


class ManifestError(Exception):
    """The manifest cannot be read; the message gives the reason."""


class Target:
    def __init__(self, described, all_names):
        self.name = described["name"]
        self.module = re.sub(r"\W", "_", self.name)
        self.kind = described["type"]
        usual = f"{'Tests' if self.kind == 'test' else 'Sources'}/{self.name}"
        self.path = (described.get("path") or usual).rstrip("/")
        self.excluded = [f"{self.path}/{each}" for each in described.get("exclude", [])]
        self.settings = described.get("settings", [])
        self.target_dependencies = []
        self.product_dependencies = []
        for dependency in described.get("dependencies", []):
            (how, values), = ((key, dependency[key]) for key in ("byName", "target", "product") if key in dependency)
            if how == "target" or (how == "byName" and values[0] in all_names):
                self.target_dependencies.append(values[0])
            else:
                self.product_dependencies.append(values[0])

    def holds(self, path):
        return path.startswith(self.path + "/") and not any(
            path == each or path.startswith(each + "/") for each in self.excluded
        )


class Manifest:
    def __init__(self, described, text=""):
        names = {target["name"] for target in described["targets"]}
        self.text = text
        self.targets = [Target(target, names) for target in described["targets"]]
        self.by_name = {target.name: target for target in self.targets}
        self.packages = described.get("dependencies", [])

    def line_of(self, pattern):
        """Returns the first line that matches the pattern; otherwise 1."""
        match = re.search(pattern, self.text)
        return self.text.count("\n", 0, match.start()) + 1 if match else 1

    def line_of_target(self, target):
        """Returns the line where the manifest declares the target, in full or by one of its own short forms."""
        short = re.escape(target.name.removeprefix("Causeway").removesuffix("Tests"))
        name = re.escape(target.name)
        return self.line_of(
            rf'(?i:target|library|plugin)\(\s*name: "{name}",\s*(?:dependencies|path|capability)'
            + rf'|\b(?:app|example|tool)\(\s*"{name}"'
            + (rf'|\btests\(\s*"{short}"' if target.kind == "test" else rf'|\b(?:module|support)\(\s*"{short}"')
        )


def load(root):
    manifest = root / "Package.swift"
    if not manifest.is_file():
        raise ManifestError(f"no Package.swift in {root}; run it from a checkout, or give --root")
    text = manifest.read_text(encoding="utf-8")
    cache = root / ".build" / "tidy" / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
    try:
        return Manifest(json.loads(cache.read_text(encoding="utf-8")), text)
    except (OSError, ValueError):
        pass
    described = _dump(root)
    _keep(cache, described)
    return Manifest(described, text)


def _dump(root):
    swift = os.environ.get("SWIFT", "swift").split()
    command = [*swift, "package", "dump-package"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError as problem:
        raise ManifestError(f"cannot run '{' '.join(swift)}' ({problem.strerror}); run Tools/setup") from problem
    if done.returncode != 0:
        raise ManifestError("Package.swift cannot be read: " + (done.stderr.strip() or "no reason given"))
    try:
        return json.loads(done.stdout)
    except ValueError as problem:
        raise ManifestError(f"'swift package dump-package' did not answer JSON: {problem}") from problem


def _keep(cache, described):
    """Writes a file and renames it, so that concurrent runs never read half of it; a read-only tree is not an error."""
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        for old in cache.parent.glob("*.json"):
            old.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=cache.parent, delete=False, encoding="utf-8") as file:
            json.dump(described, file)
        os.replace(file.name, cache)
    except OSError:
        pass
