"""The page of proof is written from the outputs of the simulators."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

PROOF = pathlib.Path(__file__).resolve().parent / "proof"
LOADER = importlib.machinery.SourceFileLoader("proof", str(PROOF))
proof = importlib.util.module_from_spec(importlib.util.spec_from_loader("proof", LOADER))
LOADER.exec_module(proof)

PURE = """\
2000 seeds in 2.5 s on 2 cores: 800 seeds/s
33301 steps, 730 days of virtual time, histories cc81f3daea0183f9
  requestLost      struck 44 times, 40 with messages under way (95 messages)
  slow             struck 227 times, 135 with messages under way (257 messages)
"""
CLIENTS = """\
100 seeds in 1.0 s on 2 cores: 100 seeds/s
virtual time 8760 h, 5 steps, 3 deliveries of 9 operations, 4 commits and 0 that did not wait for the disk, 2 openings
  crash struck 7 times, 3 with deliveries under way (5 deliveries)
"""
EVENTS = """\
5000 reconnects, 10 batches with 20 events, 1 resets, 0 limited channels, 2 changes of the carrier
losesEvents: seed 3: an event is missing
"""
HISTORIES = (
    "50 histories: 0 violate the contract; actions {'create': 9}; "
    "faults {'daemon': 61, 'hub': 42, 'loss': 3, 'cut': 1, 'backup': 5, 'restore': 4}; 7 parts of the log, 2 pages\n")
SMALL = "two lanes: 1200 states, 3400 steps between them, depth 31, 9 ends, 1.5 s\n"


class ProofTests(unittest.TestCase):
    def test_the_rate_is_that_of_one_core(self):
        self.assertEqual(proof.seeds(PURE), (2000, 400))

    def test_the_strikes_of_each_fault(self):
        self.assertEqual(proof.faults(PURE), [("requestLost", 44, 40), ("slow", 227, 135)])
        self.assertEqual(proof.faults(CLIENTS), [("crash", 7, 3)])

    def test_an_output_without_its_figures_is_a_failure(self):
        with self.assertRaises(proof.Failure):
            proof.seeds("nothing\n")
        with self.assertRaises(proof.Failure):
            proof.faults("nothing\n")

    def test_a_planted_fault_that_was_missed_is_a_failure(self):
        self.assertEqual(proof.planted("losesAll: seed 12: 3 is lost\n"), [("losesAll", 12, "3 is lost")])
        with self.assertRaises(proof.Failure):
            proof.planted("losesAll: seed 12: 3 is lost\nlosesOne: NOT FOUND\n")

    def test_the_seeds_that_found_faults(self):
        for name, path in proof.REGRESSIONS.items():
            source = path.read_text()
            self.assertEqual(len(proof.regressions(source)), source.count("RegressionSeed("), name)

    def test_the_page_has_every_figure(self):
        plants = ([("a", 1, "b")], [("c", 2, "d")])
        rows = proof.summary(PURE, CLIENTS, EVENTS, HISTORIES, SMALL, plants)
        text = proof.page(rows, [proof.section("Small worlds", proof.table(("world",), [("x|y",)]))], 2, 7,
                          "0123456789")
        for figure in ("| 2,000 | 2.0 simulated years | 400 seeds", "| 100 | 1.0 simulated years | 50 seeds",
                       "| 1,200 | all", "| 5,000 |", "| 3 | all found", "61 kills of daemons, 42 of hubs, 4 restores",
                       "at commit 0123456789", "in 7 minutes", "| x\\|y |"):
            self.assertIn(figure, text)

    def test_a_step_that_has_run_is_not_repeated(self):
        with tempfile.TemporaryDirectory() as folder:
            counter = pathlib.Path(folder) / "runs"
            command = ("sh", "-c", f"echo $A >> '{counter}'; wc -l < '{counter}'")
            kept = pathlib.Path(folder) / "source"
            outputs = [proof.Steps(kept).run(*command, A=a) for a in (1, 1, 2)]
            self.assertEqual(outputs, ["1\n", "1\n", "2\n"])
            steps = proof.Steps(kept)
            steps.run(*command, A=1)
            self.assertGreater(steps.seconds, 0)
            # Source that is not committed: every step runs.
            self.assertEqual([proof.Steps(None).run(*command, A=1) for _ in range(2)], ["3\n", "4\n"])

    def test_a_step_that_failed_is_repeated(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder) / "mark"
            command = ("sh", "-c", f"test -e '{mark}' && echo good || {{ touch '{mark}'; exit 3; }}")
            steps = proof.Steps(pathlib.Path(folder) / "source")
            with self.assertRaises(proof.Failure):
                steps.run(*command)
            self.assertEqual(steps.run(*command), "good\n")


if __name__ == "__main__":
    unittest.main()
