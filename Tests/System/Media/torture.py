"""One large file through a link that is cut at random offsets, while daemon and hub are killed on the way.

Run by Tools/torture-media.
"""

import argparse
import hashlib
import http.client
import random
import sys
import threading
import time

from link import Link
from processes import Folder, Program, Sampler, free_port, until

MEBIBYTE = 1 << 20
# The goals; the last one on a machine that is not busy with anything else.
SENT_MAX = 1.02
BREAK_BYTES_MAX = MEBIBYTE // 2
MEMORY_MAX = 16 * MEBIBYTE
RESUME_SECONDS_MAX = 0.05


class Torture:
    def __init__(self, options):
        self.options = options
        self.size = options.mebibytes * MEBIBYTE
        self.random = random.Random(options.seed)
        self.folder = Folder()
        self.hub_port = free_port()
        self.folder.run("causeway-hub", "init", "--data", self.folder.path / "hub", "--account", "ann", "--channel",
                        "general")
        self.hub = Program(
            "hub", self.folder.path / "hub.log",
            [self.folder.programs / "causeway-hub", "serve", "--data", self.folder.path / "hub", "--listen",
             f"127.0.0.1:{self.hub_port}", "--plain"], self.folder.environment(), r"listening address=")
        self.daemon = Program(
            "daemon", self.folder.path / "daemon.log", [self.folder.programs / "causewayd"],
            self.folder.environment(CAUSEWAY_RESTART="resume"), r"ready")
        self.killing = None

    def close(self):
        for program in (self.daemon, self.hub):
            program.stop()
        self.folder.close()

    def make_file(self):
        """A file without a pattern; returns its path and its hash."""
        path, digest, left = self.folder.path / "large.bin", hashlib.sha256(), self.size
        with open(path, "wb") as file:
            while left > 0:
                part = self.random.randbytes(min(left, MEBIBYTE))
                digest.update(part)
                file.write(part)
                left -= len(part)
        return path, digest.hexdigest()

    def plan(self):
        """The offsets at which something happens, in order, with what happens."""
        events = ["cut"] * self.options.cuts + ["daemon", "hub"] * self.options.kills
        self.random.shuffle(events)
        offsets = sorted(self.random.sample(range(1, self.size), len(events)))
        return list(zip(offsets, events))

    def strike(self, events, number):
        """Kills a program, if it is its turn."""
        event = events[number - 1]
        if event == "cut":
            return False
        program = self.daemon if event == "daemon" else self.hub
        program.kill()
        # Started again by another thread: the link breaks first.
        self.killing = threading.Thread(target=program.start)
        self.killing.start()
        return True

    def run(self):
        path, digest = self.make_file()
        plan = self.plan()
        events = [event for _, event in plan]
        self.hub.start()
        link = Link(self.hub_port, [offset for offset, _ in plan], lambda number: self.strike(events, number))
        self.daemon.start()
        self.folder.run("causeway", "login", f"http://127.0.0.1:{link.port}", "--token-file",
                        self.folder.path / "hub" / "tokens" / "ann.token")
        # A small message warms both up; the memory at rest is that after it.
        self.folder.run("causeway", "send", "--wait", "general", "first")
        for program in (self.hub, self.daemon):
            program.rest()
        base, started = link.sent, time.monotonic()
        link.breaks = [offset + base for offset in link.breaks]
        sampler = Sampler(self.hub, self.daemon)
        message = self.folder.run("causeway", "send", "--file", path, "general")
        copied = time.monotonic() - started
        path.unlink()
        until("the message is delivered", lambda: self.is_delivered(message), seconds=1800)
        elapsed = time.monotonic() - started
        sampler.close()
        if self.killing:
            self.killing.join()
        found = self.hash_on_hub(digest)
        left = self.strays(digest)
        return self.report(link, base, found == digest, left, copied, elapsed)

    def is_delivered(self, message):
        try:
            return "synced" in self.folder.run("causeway", "message", message)
        except AssertionError:
            # The daemon was killed, and is not ready again.
            return False

    def hash_on_hub(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.hub_port)
        connection.request("GET", f"/v1/blobs/{name}", headers={"Authorization": f"Bearer {self.folder.token('ann')}"})
        answer, digest = connection.getresponse(), hashlib.sha256()
        while part := answer.read(MEBIBYTE):
            digest.update(part)
        connection.close()
        return digest.hexdigest()

    def strays(self, name):
        """Files on either side that are not the one that was sent."""
        folders = [self.folder.path / "hub" / "blobs", self.folder.path / "store" / "blobs"]
        files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
        return [str(file.relative_to(self.folder.path)) for file in files
                if name not in file.name and name not in "".join(file.parts)]

    def report(self, link, base, is_same, strays, copied, elapsed):
        sent = (link.sent - base) / self.size
        # In a small file the bytes that each break costs weigh more.
        sent_max = max(SENT_MAX, 1 + link.broken * BREAK_BYTES_MAX / self.size)
        times = sorted(seconds for seconds, _ in link.recoveries)
        middle = times[len(times) // 2] if times else 0
        others = [requests for _, requests in link.recoveries if requests != ["HEAD", "PATCH"]]
        rows = [
            ("right hash", "yes" if is_same else "no", "yes", is_same),
            ("breaks of the link, kills among them", f"{link.broken}", f"{len(link.recoveries)} resumed in time", True),
            ("bytes sent, of the file's", f"{sent:.4f}", f"≤ {sent_max:.4f}", sent <= sent_max),
            ("daemon above idle, MiB", f"{self.daemon.above_idle / MEBIBYTE:.1f}", f"≤ {MEMORY_MAX // MEBIBYTE}",
             self.daemon.above_idle <= MEMORY_MAX),
            ("hub above idle, MiB", f"{self.hub.above_idle / MEBIBYTE:.1f}", f"≤ {MEMORY_MAX // MEBIBYTE}",
             self.hub.above_idle <= MEMORY_MAX),
            ("next byte after a cut, median ms", f"{middle * 1000:.1f}", f"≤ {RESUME_SECONDS_MAX * 1000:.0f}",
             middle <= RESUME_SECONDS_MAX),
            ("next byte after a cut, longest ms", f"{(times[-1] if times else 0) * 1000:.1f}", "", True),
            ("cuts followed by more than one HEAD", f"{len(others)}", "0", not others),
            ("files left over", f"{len(strays)}", "0", not strays),
            ("seconds: copied, and delivered", f"{copied:.1f}, {elapsed:.1f}", "", True),
        ]
        print(f"{self.options.mebibytes} MiB, {self.options.cuts} cuts, each program killed {self.options.kills} "
              f"times, seed {self.options.seed}")
        for name, value, goal, is_met in rows:
            print(f"  {name:<40} {value:>14}   {goal}{'' if is_met else '  MISSED'}")
        for requests in others[:5]:
            print(f"  after a cut: {requests}")
        for stray in strays[:5]:
            print(f"  left over: {stray}")
        return all(is_met for _, _, _, is_met in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    torture = Torture(parser.parse_args())
    try:
        is_fine = torture.run()
    finally:
        torture.close()
    sys.exit(0 if is_fine else 1)


if __name__ == "__main__":
    main()
