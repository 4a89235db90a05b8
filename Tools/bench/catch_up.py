"""Measures how long a reader of a hub's events takes to catch up: see Tools/bench/catch-up, which builds the hub."""

import argparse
import json
import os
import re
import socket
import statistics
import sys
import tempfile
import time

import fanout

CHANNELS_CHANGED = 10
BATCH = 500
# The limits of the hub for one account, the channel that every hub of the benchmarks has left aside: channels that it
# creates, and those of which it is a member.
CHANNELS_PER_CREATOR = 499
CHANNELS_PER_MEMBER = 1_999


class Reader:
    """Reads the log page by page over one connection."""

    def __init__(self, hub, account=0):
        self.hub = hub
        self.token = hub.tokens[account]
        self.connection = hub.connect()
        self.received = b""

    def request(self, head, body=b""):
        """The body of a response, which must be 2xx."""
        self.connection.sendall(
            f"{head} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        while b"\r\n\r\n" not in self.received:
            self.receive()
        header, _, self.received = self.received.partition(b"\r\n\r\n")
        if not header.startswith(b"HTTP/1.1 20"):
            raise SystemExit(f"catch-up: {header[:200]!r} {self.received[:200]!r}")
        length = int(re.search(rb"content-length: *(\d+)", header, re.IGNORECASE)[1])
        parts, have = [self.received], len(self.received)
        while have < length:
            self.received = b""
            self.receive()
            parts.append(self.received)
            have += len(self.received)
        whole = b"".join(parts)
        self.received = whole[length:]
        return whole[:length]

    def receive(self):
        part = self.connection.recv(1 << 20)
        if not part:
            raise SystemExit("catch-up: the hub ended the connection")
        self.received += part

    def catch_up(self, cursor):
        """Seconds, and the pages and messages that were read."""
        pages = []
        start = time.monotonic()
        while True:
            page = self.request(f"GET /v1/events?cursor={cursor}")
            pages.append(page)
            # Before the events, which are text of others.
            head = page[:page.index(b'"events":')]
            cursor = re.search(rb'"cursor":"([^"]*)"', head)[1].decode()
            if b'"isUpToDate":true' in head:
                break
        seconds = time.monotonic() - start
        events = [event for page in pages for event in json.loads(page)["events"]]
        return seconds, len(pages), sum(event["kind"] == "message" for event in events)


class BenchHub(fanout.Hub):
    """A hub whose first account is a member of the first channels, of which a few have changed since a cursor."""

    def __init__(self, program, folder, channels, changes):
        super().__init__(program, channels // CHANNELS_PER_CREATOR + 1, folder)
        try:
            self.fill(channels, changes)
        except BaseException:
            self.close()
            raise

    def fill(self, channels, changes):
        # Each account creates channels from an address of its own, because an address has a share of them, too.
        self.address = 1
        for first in range(0, channels, CHANNELS_PER_CREATOR):
            self.address += 1
            creator = Reader(self, self.address - 1)
            for number in range(first, min(channels, first + CHANNELS_PER_CREATOR)):
                creator.request(f"PUT /v1/channels/channel-{number}")
        self.address = 1
        self.reader = Reader(self)
        self.sequence = 0
        joined = range(min(channels, CHANNELS_PER_MEMBER))
        self.deliver({"kind": "write", "record": {
            "kind": "channelMember", "id": f"channel-{number}/ann", "action": "join"}} for number in joined)
        self.cursor = json.loads(self.reader.request("GET /v1/events"))["cursor"]
        self.deliver({
            "kind": "send", "channel": f"channel-{number % CHANNELS_CHANGED}", "createdAt": 1000,
            "content": {"v": 1, "type": "text", "text": "x" * 200}} for number in range(changes))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), source_address=(f"127.0.0.{self.address}", 0))

    def deliver(self, operations):
        operations = list(operations)
        for first in range(0, len(operations), BATCH):
            batch = operations[first:first + BATCH]
            for operation in batch:
                operation["previous"] = self.sequence
                self.sequence += 1
                operation["sequence"] = self.sequence
                operation["id"] = f"0190a6b2-0000-7000-8000-{self.sequence:012x}"
            body = {
                "outbox": "0190a6b2-0000-7000-8000-000000000000", "epoch": 1, "lane": "text", "operations": batch}
            response = self.reader.request("POST /v1/deliveries", json.dumps(body).encode())
            refused = [result for result in json.loads(response)["results"] if result["kind"] != "accepted"]
            if refused:
                raise SystemExit(f"catch-up: {refused[0]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hub", required=True)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--channels", type=int, default=9_999)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-goals", action="store_true")
    options = parser.parse_args()
    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        hubs = []
        try:
            for folder, channels in ((first, CHANNELS_CHANGED), (second, options.channels)):
                print(f"preparing a hub with {channels} channels", file=sys.stderr, flush=True)
                hubs.append(BenchHub(options.hub, folder, channels, options.changes))
            times = [[], []]
            for _ in range(options.rounds):
                for hub, found in zip(hubs, times):
                    seconds, pages, messages = hub.reader.catch_up(hub.cursor)
                    if messages != options.changes:
                        raise SystemExit(f"catch-up: {messages} messages instead of {options.changes}")
                    found.append(seconds)
        finally:
            for hub in hubs:
                hub.close()
    few, many = (1000 * statistics.median(found) for found in times)
    ratio = statistics.median(b / a for a, b in zip(*times))
    print(f"{options.changes} changes of {CHANNELS_CHANGED} channels in {pages} pages, medians of {options.rounds}")
    met = few <= 300 and many <= 300 and ratio <= 1.3
    for channels, milliseconds in ((CHANNELS_CHANGED, few), (options.channels, many)):
        verdict = "met" if milliseconds <= 300 else "MISSED"
        members = min(channels, CHANNELS_PER_MEMBER)
        print(f"member of {members} of {channels} channels: {milliseconds:.1f} ms, goal at most 300 ms: {verdict}")
    print(f"ratio of the two: {ratio:.2f}, goal at most 1.3: {'met' if ratio <= 1.3 else 'MISSED'}")
    sys.exit(0 if met or options.no_goals else 1)


if __name__ == "__main__":
    main()
