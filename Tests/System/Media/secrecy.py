"""An account learns nothing about the files of others: neither from a response nor from the time until it comes.

Requests for a file that exists, and may not be read, alternate with requests for one that does not exist. For times,
the statistic is the share of pairs in which the first is slower: 0.5 if there is no difference. The control arm adds a
delay to one side, and must be noticed. Run by Tools/torture-media.
"""

import argparse
import base64
import hashlib
import http.client
import random
import sys
import time

from processes import Folder, Program, free_port

# The deviation from a half that counts as a difference; of a few thousand pairs pure chance stays below 0.03.
DEVIATION_MAX = 0.06
# The delay of the control arm, as a share of the median time.
CONTROL_DELAY = 0.25
# Fields that differ between any two responses.
CHANGING = {"date", "x-request-id"}


class Account:
    def __init__(self, port, token):
        self.connection, self.token = http.client.HTTPConnection("127.0.0.1", port), token

    def request(self, method, path, fields=None, body=None, delay=0.0):
        """Returns the seconds, and everything that a response says."""
        started = time.perf_counter()
        while delay and time.perf_counter() - started < delay:
            pass
        self.connection.request(method, path, body, {"Authorization": f"Bearer {self.token}", **(fields or {})})
        answer = self.connection.getresponse()
        content = answer.read()
        elapsed = time.perf_counter() - started
        fields = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in CHANGING}
        return elapsed, (answer.status, fields, content)

    def first_line(self, path, fields, delay=0.0):
        """Returns the seconds until the first line of the response to a request whose content waits, and that line."""
        connection = http.client.HTTPConnection("127.0.0.1", self.connection.port)
        connection.connect()
        try:
            started = time.perf_counter()
            while delay and time.perf_counter() - started < delay:
                pass
            connection.putrequest("POST", path)
            fields = {**fields, "Authorization": f"Bearer {self.token}", "Expect": "100-continue"}
            for name, value in fields.items():
                connection.putheader(name, value)
            connection.endheaders()
            line = connection.sock.makefile("rb").readline()
            return time.perf_counter() - started, line
        finally:
            connection.close()


def creation(digest, size, complete):
    return {"Upload-Complete": "?1" if complete else "?0", "Upload-Length": str(size),
            "Repr-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:"}


def share_slower(first, second):
    """The share of all pairs in which the first is slower (the statistic of Mann and Whitney)."""
    ranked = sorted([(value, 1) for value in first] + [(value, 0) for value in second])
    ranks = sum(rank for rank, (_, side) in enumerate(ranked, 1) if side)
    return (ranks - len(first) * (len(first) + 1) / 2) / (len(first) * len(second))


def compare(seed, count, ask, delay=0.0):
    """Asks about both in a random order; returns the statistic, the median, and the kinds of responses."""
    order, times, said = random.Random(seed), {True: [], False: []}, {True: set(), False: set()}
    for _ in range(count):
        for exists in order.sample([True, False], 2):
            elapsed, words = ask(exists, delay if exists else 0.0)
            times[exists].append(elapsed)
            said[exists].add(words)
    middle = sorted(times[False])[count // 2]
    return share_slower(times[True], times[False]), middle, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder, is_fine = Folder(), True
    port = free_port()
    hub = Program(
        "hub", folder.path / "hub.log",
        [folder.programs / "causeway-hub", "serve", "--data", folder.path / "hub", "--listen", f"127.0.0.1:{port}",
         "--plain"], folder.environment(), r"listening address=")
    try:
        folder.run("causeway-hub", "init", "--data", folder.path / "hub", "--account", "ann", "--channel", "general")
        folder.run("causeway-hub", "account", "add", "other", "--data", folder.path / "hub")
        hub.start()
        ann, other = Account(port, folder.token("ann")), Account(port, folder.token("other"))
        data = random.Random(options.seed).randbytes(200_000)
        secret, absent = hashlib.sha256(data).digest(), hashlib.sha256(b"absent").digest()
        _, (status, _, _) = ann.request("POST", "/v1/uploads", creation(secret, len(data), True), data)
        assert status == 200, status

        def name(exists):
            return (secret if exists else absent).hex()

        def read(method, exists, delay, fields=None):
            elapsed, (status, headers, content) = other.request(
                method, f"/v1/blobs/{name(exists)}", fields, delay=delay)
            return elapsed, (status, tuple(sorted(headers.items())), content)

        def begin(exists, delay):
            digest = secret if exists else absent
            elapsed, (status, headers, content) = other.request(
                "POST", "/v1/uploads", creation(digest, len(data), False), b"", delay)
            location = headers.pop("location", "")
            other.request("DELETE", location)
            return elapsed, (status, tuple(sorted(headers.items())), content, len(location))

        def expect(exists, delay):
            fields = {**creation(secret if exists else absent, len(data), True), "Content-Length": len(data)}
            return other.first_line("/v1/uploads", fields, delay)

        parts = [
            ("GET", lambda exists, delay: read("GET", exists, delay)),
            ("HEAD", lambda exists, delay: read("HEAD", exists, delay)),
            ("GET of a range", lambda exists, delay: read("GET", exists, delay, {"Range": "bytes=0-9"})),
            ("the beginning of an upload", begin),
            ("an upload that waits to continue", expect),
        ]
        for words, ask in parts:
            count = options.requests if ask not in (begin, expect) else options.requests // 5
            compare(options.seed, 50, ask)
            share, middle, said = compare(options.seed, count, ask)
            control, _, _ = compare(options.seed, count // 2, ask, delay=middle * CONTROL_DELAY)
            same = said[True] == said[False] and len(said[True]) == 1
            # An upload syncs folders, whose times vary more: a few hundred requests only bound a gross difference.
            bound = DEVIATION_MAX if ask not in (begin, expect) else 2 * DEVIATION_MAX
            met = same and abs(share - 0.5) <= bound and control - 0.5 > bound
            is_fine &= met
            print(f"{words}: {count} pairs, {'equal' if same else 'DIFFERENT'} responses, the file that exists is "
                  f"slower in {share:.3f} of the pairs (0.5 ± {bound}), delayed by {CONTROL_DELAY:.0%} in {control:.3f}"
                  f"{'' if met else '  MISSED'}", flush=True)
            if not same:
                print(f"  exists: {said[True]}\n  absent: {said[False]}")
    finally:
        hub.stop()
        folder.close()
    sys.exit(0 if is_fine else 1)


if __name__ == "__main__":
    main()
