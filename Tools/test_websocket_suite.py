"""The number of cases that the WebSocket suite has run is part of its result."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "test-websocket"
LOADER = importlib.machinery.SourceFileLoader("websocket_suite", str(TOOL))
suite = importlib.util.module_from_spec(importlib.util.spec_from_loader("websocket_suite", LOADER))
LOADER.exec_module(suite)


class CaseCountTests(unittest.TestCase):
    def test_either_end_must_run_all_announced_cases(self):
        self.assertEqual(suite.missing({"server": 300, "client": 300}, 300, False), [])
        for counts in ({"server": 5, "client": 300}, {"server": 300, "client": 5}):
            self.assertEqual(len(suite.missing(counts, 300, False)), 1)
        self.assertEqual(len(suite.missing({"server": 5, "client": 5}, 300, False)), 2)

    def test_a_complete_run_has_all_cases_of_the_suite(self):
        self.assertEqual(suite.missing({"server": 517, "client": 517}, 517, True), [])
        self.assertEqual(len(suite.missing({"server": 300, "client": 300}, 300, True)), 1)

    def test_a_suite_that_is_not_there_fails_only_in_continuous_integration(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "Tools" / "test-websocket"
            tool.parent.mkdir()
            tool.write_bytes(TOOL.read_bytes())
            usual = {key: value for key, value in os.environ.items() if key != "CI"}
            for environment, status in ((usual, 0), ({**usual, "CI": "1"}, 1)):
                done = subprocess.run(
                    [sys.executable, tool], env=environment, text=True, capture_output=True, check=False)
                self.assertEqual(done.returncode, status)
                self.assertIn("not run", done.stdout)


if __name__ == "__main__":
    unittest.main()
