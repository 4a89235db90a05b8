"""Records histories of the real programs and judges them; see Tools/judge-histories."""

import argparse
import collections
import concurrent.futures
import json
import os
import sys

from judge import judge
from world import Template, World


def record(template, seed, seconds):
    """Returns a history, or a reason why it has no end."""
    world = World(template, seed)
    try:
        world.live(seconds)
    except Exception as error:  # whatever it is, it is a finding of this seed
        return world.history.entries, f"it did not end: {type(error).__name__}: {error}"
    finally:
        world.close()
    return world.history.entries, None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3, help="of trouble in each history")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--keep", help="a folder for the histories that violate something")
    options = parser.parse_args()
    template = Template(os.environ["CAUSEWAY_BIN"])
    tally, broken = collections.Counter(), 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
            seeds = range(options.first, options.first + options.histories)
            histories = pool.map(lambda seed: record(template, seed, options.seconds), seeds)
            for seed, (history, problem) in zip(seeds, histories):
                tally.update(entry["what"] if entry["entry"] == "fault" else entry["entry"] for entry in history)
                violations = [problem] if problem else judge(history)
                for violation in violations[:5]:
                    print(f"history {seed}: {violation}", flush=True)
                broken += bool(violations)
                if violations and options.keep:
                    with open(os.path.join(options.keep, f"history-{seed}.json"), "w", encoding="utf-8") as file:
                        json.dump(history, file, indent=1)
    finally:
        template.close()
    faults = {name: tally[name] for name in ("daemon", "hub", "loss", "cut", "backup", "restore")}
    actions = {name: tally[name] for name in ("create", "edit", "react", "delete", "look")}
    print(f"{options.histories} histories: {broken} violate the contract; actions {actions}; faults {faults}; "
          f"{tally['part']} parts of the log, {tally['snapshot']} pages after a reset")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
