"""The README's snippet equals the example that is built."""

import pathlib
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Snippet(unittest.TestCase):
    def test_the_snippet_is_the_one_of_the_example(self):
        example = (ROOT / "Examples/first-message/FirstMessage.swift").read_text(encoding="utf-8")
        body = example.split("// snippet: begin\n", 1)[1].split("// snippet: end", 1)[0].rsplit("\n", 1)[0] + "\n"
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertGreater(body.count("\n"), 5)
        self.assertIn(textwrap.dedent(body) + "```", readme)


if __name__ == "__main__":
    unittest.main()
