"""Mutants name the text that they replace. When that text changes, they are changed with it."""

import pathlib
import subprocess
import unittest

MUTANTS = pathlib.Path(__file__).resolve().parent / "mutants" / "mutants"


class MutantTests(unittest.TestCase):
    def run_mutants(self, *arguments):
        return subprocess.run([str(MUTANTS), *arguments], text=True, capture_output=True, check=False)

    def test_every_mutant_can_be_planted(self):
        done = self.run_mutants("--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_name_that_does_not_exist_is_an_error(self):
        done = self.run_mutants("--list", "noSuchMutant")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no mutant named noSuchMutant", done.stderr)

    def test_a_file_that_does_not_exist_is_an_error(self):
        done = self.run_mutants("--list", "--file", "nothing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no file of mutants named nothing.toml", done.stderr)

    def test_only_the_mutants_of_a_file_are_listed(self):
        done = self.run_mutants("--list", "--file", "hub")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("reopensUnverified", done.stdout)
        self.assertNotIn("keepsNoHistory", done.stdout)

    def test_the_sample_has_mutants_of_the_simulator_alone(self):
        done = self.run_mutants("--list", "--sample")
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = [line.split()[1] for line in done.stdout.splitlines()]
        self.assertEqual(layers, 20 * ["simulator"])


if __name__ == "__main__":
    unittest.main()
