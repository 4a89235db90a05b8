"""The program itself: its output, its exit status, and its reading of a real manifest."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import manifest
from rules.vocabulary import RETIRED_IN

TIDY = pathlib.Path(__file__).resolve().parent / "tidy"
ROOT = TIDY.parents[2]


def run(*arguments):
    command = [sys.executable, str(TIDY), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class ProgramTests(unittest.TestCase):
    def test_findings_are_sorted_and_end_with_1(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("B.swift", "A.swift"):
                (pathlib.Path(folder) / name).write_text("try! f()\n", encoding="utf-8")
            done = run("--root", folder, "-r", "banned-call")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1)
        self.assertEqual([line.split(":")[:3] for line in lines[:2]],
                         [["A.swift", "1", " banned-call"], ["B.swift", "1", " banned-call"]])
        self.assertIn("2 findings, 2 files", lines[-1])

    def test_a_clean_tree_ends_with_0(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "A.swift").write_text("struct A {}\n", encoding="utf-8")
            done = run("--root", folder, "-r", "unproven", "-r", "limits")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("clean, 1 files", done.stdout)

    def test_what_it_cannot_do_ends_with_2(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--root", folder, "-r", "layering")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no Package.swift", done.stderr)
        self.assertEqual(run("-r", "no such rule").returncode, 2)

    def test_the_manifest_of_this_repository_is_understood(self):
        read = manifest.load(ROOT)
        self.assertIn("CausewayModels", read.by_name["CausewayOutbox"].target_dependencies)
        self.assertIn("DequeModule", read.by_name["CausewayOutbox"].product_dependencies)
        self.assertEqual(read.by_name["causeway-cli"].path, "Apps/causeway")
        lines = read.text.splitlines()
        for target in read.targets:
            line = lines[read.line_of_target(target) - 1]
            self.assertRegex(
                line, r"target\(|Target\(|Library\(|plugin\(|(module|app|example|tool|support|tests)\(", target.name)

    def test_the_folders_of_former_names_exist(self):
        for folder in RETIRED_IN:
            self.assertTrue((ROOT / folder).is_dir(), folder)


if __name__ == "__main__":
    unittest.main()
