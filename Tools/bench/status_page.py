"""Measures the status page; see status-page, which builds the programs and runs this."""

import concurrent.futures
import http.client
import statistics
import sys
import time

from world import World, until

GOAL_MS = 50
PAGES = ["/", "/outbox", "/outbox?order=newest", "/outbox?state=created", "/outbox?state=syncing",
         "/outbox?channel=general", "/outbox?channel=general&state=created", "/failed", "/failed?limit=200",
         "/messages?q=general", "/delete-actions"]


def ask(connection, path):
    """Returns the milliseconds from the request to the last byte of its response, and the number of bytes."""
    start = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    return (time.perf_counter() - start) * 1000, len(body)


def pages(world, times=15):
    connection = http.client.HTTPConnection("127.0.0.1", world.port)
    found = {}
    for path in PAGES:
        ask(connection, path)
        asked = [ask(connection, path) for _ in range(times)]
        found[path] = (statistics.median(each for each, _ in asked), max(each for each, _ in asked), asked[0][1])
    connection.close()
    return found


def at_once(world, count=200):
    def one(number):
        connection = http.client.HTTPConnection("127.0.0.1", world.port, timeout=60)
        try:
            return ask(connection, PAGES[number % len(PAGES)])[0]
        finally:
            connection.close()
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        each = sorted(pool.map(one, range(count)))
    return time.perf_counter() - start, each


def main(waiting=100_000, failed=10_000):
    waiting, failed = int(waiting), int(failed)
    world = World()
    try:
        few = world.send("nowhere", *(f"few {number}" for number in range(20)))
        until("they failed", lambda: world.state(few[-1]) == "error")
        world.control("POST", "/v1/pause", {})
        world.send("general", *(f"few {number}" for number in range(80)))
        small = pages(world)
        world.control("POST", "/v1/resume", {})
        start = time.perf_counter()
        last = world.send("nowhere", *(f"failed {number}" for number in range(failed)))[-1]
        until("they failed", lambda: world.state(last) == "error")
        world.control("POST", "/v1/pause", {})
        world.send("general", *(f"waiting {number}" for number in range(waiting)))
        counts = world.counts()
        print(f"{counts['created']:,} wait, {counts['error']:,} failed (made in {time.perf_counter() - start:.0f} s)")
        large = pages(world)
        print(f"{'page':42}{'over 100':>12}{'over all':>12}{'slowest':>12}{'bytes':>10}")
        for path, (median, slowest, size) in large.items():
            print(f"{path:42}{small[path][0]:9.1f} ms{median:9.1f} ms{slowest:9.1f} ms{size:10,}")
        whole, each = at_once(world)
        print(f"200 requests at once, all answered with 200: {whole:.2f} s in all, "
              f"median {each[100] / 1000:.2f} s, slowest {each[-1] / 1000:.2f} s")
        # A first page has 50 rows by default.
        worst = max(median for path, (median, _, _) in large.items() if "limit" not in path)
        print(f"goal: a first page in under {GOAL_MS} ms; the slowest median is {worst:.1f} ms: "
              f"{'met' if worst < GOAL_MS else 'MISSED'}")
        return 0 if worst < GOAL_MS else 1
    finally:
        world.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
