"""The page of promises quotes the documents, and names tests, commands and faults that exist."""

import pathlib
import re
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def plain(text):
    """Returns a text without markup and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"[`*]", "", text))


def rows():
    lines = (ROOT / "Documentation" / "Promises.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines
            if line.startswith("| ") and not line.startswith(("| promise", "| ---"))]


def names(cell):
    return [name.strip() for name in re.findall(r'"[^"]*"|[^,"]+', cell) if name.strip()]


def tests():
    """Returns the names of all test functions, and the rules of the conformance suites in quotes."""
    found = set()
    for path in (ROOT / "Modules").glob("*Conformance/**/*.swift"):
        found |= set(re.findall(r'Rule\(\s*("[^"]*")', path.read_text(encoding="utf-8")))
    for path in (ROOT / "Tests").rglob("*.swift"):
        found |= set(re.findall(r"func ([A-Za-z0-9_]+)", path.read_text(encoding="utf-8")))
    return found


def faults():
    """Returns the names of the mutants and of the planted faults of the simulators."""
    found = {mutant["name"] for path in (ROOT / "Tools" / "mutants").glob("*.toml")
             for mutant in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]}
    for path in (ROOT / "Tests" / "Simulation").rglob("*Fault.swift"):
        for cases in re.findall(r"^    case ([A-Za-z, ]+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            found |= set(names(cases))
    return found


class PromiseTests(unittest.TestCase):
    def test_each_promise_is_in_its_document(self):
        for promise, document, *_ in rows():
            with self.subTest(promise):
                self.assertIn(plain(promise), plain((ROOT / document).read_text(encoding="utf-8")))

    def test_each_promise_is_shown_by_a_test_or_a_command_that_exists(self):
        known, makefile = tests(), (ROOT / "Makefile").read_text(encoding="utf-8")
        for promise, _, shown, _ in rows():
            for name in names(shown):
                with self.subTest(promise, name=name):
                    if name.startswith("`make "):
                        self.assertRegex(makefile, rf"(?m)^{name.strip('`').removeprefix('make ')}:")
                    else:
                        self.assertIn(name, known)

    def test_each_promise_is_broken_by_a_fault_that_exists(self):
        known = faults()
        for promise, *_, broken in rows():
            for name in names(broken):
                with self.subTest(promise, name=name):
                    self.assertIn(name, known)

    def test_each_guarantee_of_the_readme_is_among_the_promises(self):
        section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What is guaranteed")[1]
        guarantees = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", section, re.MULTILINE)
        self.assertGreater(len(guarantees), 5)
        promised = [plain(promise) for promise, document, *_ in rows() if document == "README.md"]
        for name, text in guarantees:
            with self.subTest(name):
                self.assertTrue(any(promise in plain(text) for promise in promised))


if __name__ == "__main__":
    unittest.main()
