"""Uploads and downloads of files over TLS, by Causeway's client and by curl; run by Tools/bench/media."""

import argparse
import base64
import contextlib
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from processes import Folder, Program, free_port

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# The share of curl's rate that is the goal, and, for files below this size, of one curl process for each file.
RATE_MIN, SMALL_BYTES, SMALL_RATE_MIN = 0.9, 64 << 10, 5.0
# The uploads at the same time, as the programs do by default; curl does the same.
UPLOADS = 2
# Rounds with less content take less than a second, in which one interruption counts for much: there are more of them.
SHORT_BYTES, SHORT_ROUNDS_TIMES = 256 << 20, 4
# Memory that is used once before a measurement: the multiple of all files (the hub's copy, the one that comes back, and
# some more), and the share of the memory that is available.
TOUCHED_TIMES, TOUCHED_SHARE_MAX = 3, 0.5


class Files:
    """Files with random content that the hub has never seen."""

    def __init__(self, folder, name, count, size):
        self.folder = folder / name
        self.folder.mkdir()
        self.size = count * size
        self.paths, self.digests = [], []
        for index in range(count):
            path, digest, left = self.folder / f"{index}", hashlib.sha256(), size
            with open(path, "wb") as file:
                while left:
                    part = os.urandom(min(left, 1 << 20))
                    digest.update(part)
                    file.write(part)
                    left -= len(part)
            self.paths.append(path)
            self.digests.append(digest.digest())
        # What the system still has to write would be measured with whatever comes next.
        os.sync()

    def remove(self):
        put_aside(self.folder)


def run(command):
    """The output of a program that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed with {done.returncode}: {done.stderr}")
    return done.stdout


def put_aside(folder):
    """Frees the room of the files in a folder, and its name.

    The names stay until the end: ext4 looks at each file that was removed in the last seconds when another one is
    created, so that removing those of a round would slow the next rounds down, and the one who has more files most.
    """
    for path in folder.rglob("*"):
        if path.is_file():
            os.truncate(path, 0)
    folder.rename(tempfile.mkdtemp(prefix="aside-", dir=folder.parent))


def touch_memory(size):
    """Uses memory once and gives it back.

    In a virtual machine, memory that was not used lately has to be got from the machine around it, which takes ten
    times as long as a copy into it. Without this, the one who comes first pays for both.
    """
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = b"\1" * min(TOUCHED_TIMES * size, int(TOUCHED_SHARE_MAX * available))
    del memory


def leave_memory(folder):
    """Gives back the memory that holds the content of these files, which the next round uses again."""
    for path in folder.rglob("*"):
        # The hub goes on, and removes files of its own.
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                with open(path, "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Times:
    """The times of all rounds. The best counts: what else the machine does, and its disk and memory, only add time."""

    def __init__(self, seconds):
        seconds = list(seconds)
        self.best, self.median = min(seconds), statistics.median(seconds)

    def __str__(self):
        return f"{self.best:8.3f} {f'({self.median:.3f})':>8}"


class Bench:
    def __init__(self):
        self.folder = Folder()
        self.path = self.folder.path
        port = free_port()
        self.address = f"https://127.0.0.1:{port}"
        self.folder.run("causeway-hub", "init", "--data", self.path / "hub", "--name", "127.0.0.1", "--account",
                        "bench", "--channel", "bench")
        self.hub = Program(
            "hub", self.path / "hub.log",
            [self.folder.programs / "causeway-hub", "serve", "--data", self.path / "hub", "--listen",
             f"127.0.0.1:{port}"], self.folder.environment(), r"listening address=")
        self.hub.start()
        self.authority = self.path / "hub" / "tls" / "ca.pem"
        # The token stands in no argument.
        self.common = self.path / "curl.common"
        self.common.write_text(
            f'header = "Authorization: Bearer {self.folder.token("bench")}"\ncacert = "{self.authority}"\n'
            'silent\nshow-error\nfail\nheader = "Expect:"\n')

    def close(self):
        self.hub.stop()
        self.folder.close()

    def ours(self, files):
        """Seconds for the uploads and for the downloads."""
        work = self.path / "client"
        work.mkdir()
        command = [
            self.folder.programs / "causeway-bench", "media", "--folder", work, "--uploads", str(UPLOADS), "--hub",
            self.address, "--authority", self.authority, "--token-file",
            self.path / "hub" / "tokens" / "bench.token", *files.paths]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            if client.stdout.readline() != "ready\n":
                raise RuntimeError(f"{command[0]} failed with {client.wait()}")
            # The store has a copy, so that as much is in memory as with curl.
            files.remove()
            touch_memory(files.size)
            output, _ = client.communicate("\n")
        if client.returncode != 0:
            raise RuntimeError(f"{command[0]} failed with {client.returncode}")
        put_aside(work)
        return [float(each) for each in output.split()]

    def curl(self, files, is_alone):
        """The same by curl: in one process, or each file in a process of its own."""
        uploads = [
            f'url = "{self.address}/v1/uploads"\nrequest = POST\nupload-file = "{path}"\noutput = "/dev/null"\n'
            f'header = "Content-Type: application/octet-stream"\nheader = "Upload-Complete: ?1"\n'
            f'header = "Repr-Digest: sha-256=:{base64.b64encode(digest).decode()}:"\n'
            for path, digest in zip(files.paths, files.digests)]
        received = self.path / "received"
        received.mkdir()
        downloads = [f'url = "{self.address}/v1/blobs/{digest.hex()}"\noutput = "{received / str(index)}"\n'
                     for index, digest in enumerate(files.digests)]
        touch_memory(files.size)
        seconds = [self.run_curl(uploads, is_alone, UPLOADS), self.run_curl(downloads, is_alone, 1)]
        files.remove()
        put_aside(received)
        return seconds

    def run_curl(self, transfers, is_alone, at_a_time):
        common = self.common.read_text()
        if is_alone:
            configurations = [common + each for each in transfers]
        else:
            # Options before `next` belong to one transfer; the connection is kept.
            configurations = ["next\n".join(common + each for each in transfers)]
        paths = []
        for index, text in enumerate(configurations):
            path = self.path / f"curl.{index}"
            path.write_text(text)
            paths.append(path)
        started = time.monotonic()
        for path in paths:
            parallel = [] if is_alone or at_a_time == 1 else ["--parallel", "--parallel-max", str(at_a_time)]
            run(["curl", *parallel, "--config", path])
        elapsed = time.monotonic() - started
        for path in paths:
            path.unlink()
        return elapsed

    def measure(self, count, size, rounds):
        """The times of both, round after round, each with files of its own; they take turns in coming first."""
        is_small = size < SMALL_BYTES
        found = {"ours": [], "curl": [], "alone": []}
        for index in range(rounds):
            turn = ["ours", "curl", "alone"] if is_small else ["ours", "curl"]
            for who in turn if index % 2 == 0 else reversed(turn):
                files = Files(self.path, f"{who}-{size}-{index}", count, size)
                found[who].append(self.ours(files) if who == "ours" else self.curl(files, who == "alone"))
                leave_memory(self.path / "hub")
        return found


def main():
    parser = argparse.ArgumentParser(usage="Tools/bench/media [--no-goals] [NUMBERxSIZE …]")
    parser.add_argument("--no-goals", action="store_true")
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    rounds = int(os.environ.get("ROUNDS", "6"))
    bench, missed = Bench(), 0
    print(f"the best of {rounds} rounds, of {SHORT_ROUNDS_TIMES * rounds} with up to {SHORT_BYTES >> 20} MiB; (median)")
    print(f"{'files':>14} {'direction':>10} {'ours s':>17} {'curl s':>17} {'MiB/s':>8}  ratio")
    try:
        for part in options.parts or ["1000x1K", "100x1M", "1x1G"]:
            found = re.fullmatch(r"(\d+)x(\d+)([KMG])", part)
            if not found:
                sys.exit(f"{part} is no NUMBERxSIZE, such as 100x1M")
            count, size = int(found[1]), int(found[2]) * UNITS[found[3]]
            # Small files pay by the file, and a round of them with a process for each takes long.
            is_short = SMALL_BYTES <= size and count * size <= SHORT_BYTES
            times = bench.measure(count, size, rounds * SHORT_ROUNDS_TIMES if is_short else rounds)
            for direction, name in enumerate(("upload", "download")):
                ours = Times(each[direction] for each in times["ours"])
                rate = count * size / ours.best / (1 << 20)
                for who, goal in (("curl", RATE_MIN), ("alone", SMALL_RATE_MIN)):
                    if not times[who]:
                        continue
                    theirs = Times(each[direction] for each in times[who])
                    ratio = theirs.best / ours.best
                    # Of small files only the comparison with a process for each file has a goal.
                    goal = None if who == "curl" and times["alone"] else goal
                    is_met = goal is None or ratio >= goal
                    missed += not is_met
                    words = "" if goal is None else f"≥ {goal}  {'met' if is_met else 'MISSED'}"
                    words += "  (a process for each file)" if who == "alone" else ""
                    print(f"{part:>14} {name:>10} {ours} {theirs} {rate:8.1f}  {ratio:5.2f}  {words}", flush=True)
    finally:
        bench.close()
    sys.exit(1 if missed and not options.no_goals else 0)


if __name__ == "__main__":
    main()
