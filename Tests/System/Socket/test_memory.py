"""The memory that connections hold at the hub while nothing happens on them."""

import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
HUB = pathlib.Path(os.environ.get("CAUSEWAY_BIN") or ROOT / ".build" / "debug") / "causeway-hub"
sys.path.insert(0, str(ROOT / "Tools" / "bench"))

import fanout  # noqa: E402

CONNECTIONS = 320


class MemoryTests(unittest.TestCase):
    """A task keeps the memory of its deepest calls, so the task of a connection must not make them."""

    def start(self, is_tls=False, **message):
        """A hub with a page of messages."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.hub = fanout.Hub(HUB, CONNECTIONS // fanout.SESSIONS_PER_ACCOUNT + 1, folder.name, is_tls)
        self.addCleanup(self.hub.close)
        publisher = fanout.Publisher(self.hub)
        self.addCleanup(publisher.connection.close)
        publisher.rate(20, **message)

    def check(self, open_one, kibibytes_max):
        before = self.hub.memory
        opened = [open_one(number) for number in range(CONNECTIONS)]
        held = (self.hub.memory - before) / CONNECTIONS / 1024
        for each in opened:
            each.close()
        self.assertLess(held, kibibytes_max, "KiB for each connection")

    def test_an_idle_connection_keeps_little_of_what_its_requests_needed(self):
        self.start()
        self.check(self.hub.get, 40)

    def test_an_idle_connection_over_tls_keeps_little_of_a_large_response(self):
        self.start(is_tls=True, text="x" * 20_000)
        self.check(self.hub.get, 80)

    def test_a_socket_that_waits_for_events_keeps_little_of_what_reading_needed(self):
        self.start()

        def follow(number):
            opened = self.hub.open_socket(number)
            self.hub.follow(opened)
            return opened

        self.check(follow, 52)
