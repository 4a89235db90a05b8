"""Measures how soon a daemon sends after a link came up: see Tools/bench/link-up, which builds the programs."""

import argparse
import contextlib
import os
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

from link import inside
from processes import Folder, Program, until

SERVER, CLIENT, PORT = "10.79.0.1", "10.79.0.2", 8443
LINK = "link0"
# The goal for the slowest round.
MILLISECONDS_MAX = 200.0
ETH_P_ALL, PACKET_OUTGOING = 3, 4
# Longer than the daemon takes in any case, so that a missed goal is measured, too.
SECONDS_MAX = 60


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Capture:
    """The packets that arrive at one end of the link."""

    def __init__(self, host):
        with inside(host):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
            self.socket.bind((LINK, ETH_P_ALL))
        self.socket.settimeout(SECONDS_MAX)

    def drop(self):
        """Forgets everything that has arrived."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError, OSError):
            while True:
                self.socket.recv(65536)
        self.socket.settimeout(SECONDS_MAX)

    def first_byte(self, port):
        """The moment at which the first TCP segment with data for a port arrives."""
        while True:
            try:
                packet, address = self.socket.recvfrom(65536)
            except TimeoutError:
                raise SystemExit(f"bench: nothing was sent within {SECONDS_MAX} s") from None
            except OSError:
                # Reported once after the link was down.
                continue
            if address[2] == PACKET_OUTGOING or len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
                continue
            header = (packet[0] & 15) * 4
            total = struct.unpack_from("!H", packet, 2)[0]
            target = struct.unpack_from("!H", packet, header + 2)[0]
            if target == port and total > header + (packet[header + 12] >> 4) * 4:
                return time.monotonic()

    def close(self):
        self.socket.close()


class Hosts:
    """A hub on one host, a daemon on another one, and the link between them."""

    def __init__(self):
        self.folder = Folder()
        self.path = self.folder.path
        self.server, self.client = (f"causeway-{os.getpid()}-{end}" for end in "sc")
        self.programs = []
        self.capture = None

    def start(self):
        for host in (self.server, self.client):
            ip("netns", "add", host)
            ip("-n", host, "link", "set", "lo", "up")
        ip("-n", self.server, "link", "add", LINK, "type", "veth", "peer", "name", LINK, "netns", self.client)
        for host, address in ((self.server, SERVER), (self.client, CLIENT)):
            ip("-n", host, "addr", "add", f"{address}/30", "dev", LINK)
            ip("-n", host, "link", "set", LINK, "up")
        self.folder.run("causeway-hub", "init", "--data", self.path / "hub", "--name", SERVER, "--account", "ann",
                        "--channel", "general")
        self.run(self.server, "hub", r"listening address=", "causeway-hub", "serve", "--data", self.path / "hub",
                 "--listen", f"{SERVER}:{PORT}")
        (self.path / "config.json").write_text("{}")
        self.run(self.client, "daemon", r"socket", "causewayd")
        until("the daemon responds", lambda: self.causeway("status").returncode == 0)
        self.ask("login", f"https://{SERVER}:{PORT}", "--token-file", self.path / "hub" / "tokens" / "ann.token")
        self.ask("send", "general", "first", "--wait")
        self.capture = Capture(self.server)

    def environment(self):
        return self.folder.environment(
            CAUSEWAY_CONFIG=str(self.path / "config.json"), CAUSEWAY_CA=str(self.path / "hub" / "tls" / "ca.pem"))

    def run(self, host, name, ready, program, *arguments):
        found = Program(name, self.path / f"{name}.log",
                        ["ip", "netns", "exec", host, self.folder.programs / program, *map(str, arguments)],
                        self.environment(), ready)
        self.programs.append(found)
        found.start()

    def causeway(self, *arguments):
        return subprocess.run([self.folder.programs / "causeway", *map(str, arguments)], env=self.environment(),
                              capture_output=True, text=True, check=False)

    def ask(self, *arguments):
        done = self.causeway(*arguments)
        if done.returncode:
            raise SystemExit(f"bench: causeway {arguments[0]}: {done.stderr}")
        return done.stdout

    def set_link(self, state):
        ip("-n", self.client, "link", "set", LINK, state)

    def daemon_round(self, number):
        """Milliseconds from the command that sets the link up to the first byte of the daemon, which has a message."""
        self.set_link("down")
        until("the daemon knows that the link is down", lambda: "no network connection" in self.ask("status"))
        self.ask("send", "general", f"message {number}")
        self.capture.drop()
        start = time.monotonic()
        self.set_link("up")
        elapsed = self.capture.first_byte(PORT) - start
        self.ask("send", "general", f"end {number}", "--wait")
        return elapsed * 1000

    def plain_round(self):
        """The same for a connection that is opened at that moment."""
        with inside(self.server):
            listening = socket.create_server((SERVER, 0))
        port = listening.getsockname()[1]
        self.set_link("down")
        until("the daemon knows that the link is down", lambda: "no network connection" in self.ask("status"))
        self.capture.drop()
        start = time.monotonic()
        self.set_link("up")
        sender = threading.Thread(target=self.send_byte, args=(port,))
        sender.start()
        elapsed = self.capture.first_byte(port) - start
        sender.join()
        listening.close()
        self.ask("send", "general", "plain", "--wait")
        return elapsed * 1000

    def send_byte(self, port):
        with inside(self.client), socket.create_connection((SERVER, port)) as connection:
            connection.sendall(b"1")

    def close(self):
        if self.capture:
            self.capture.close()
        for program in reversed(self.programs):
            program.stop()
        for host in (self.server, self.client):
            subprocess.run(["ip", "netns", "delete", host], check=False, capture_output=True)
        self.folder.close()


def main():
    parser = argparse.ArgumentParser(usage="Tools/bench/link-up [--rounds N] [--no-goals]")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--no-goals", action="store_true")
    options = parser.parse_args()
    hosts = Hosts()
    try:
        hosts.start()
        daemon, plain = [], []
        for number in range(options.rounds):
            daemon.append(hosts.daemon_round(number))
            plain.append(hosts.plain_round())
            print(f"round {number + 1}: the daemon {daemon[-1]:.1f} ms, a plain connection {plain[-1]:.1f} ms",
                  file=sys.stderr, flush=True)
    finally:
        hosts.close()
    slowest = max(daemon)
    print(f"first byte after the link came up: median {statistics.median(daemon):.1f} ms, slowest {slowest:.1f} ms; "
          f"a plain connection {statistics.median(plain):.1f} and {max(plain):.1f} ms")
    is_met = slowest <= MILLISECONDS_MAX
    print(f"slowest of {options.rounds}: {slowest:.1f} ms, goal {MILLISECONDS_MAX:.0f} ms: "
          f"{'met' if is_met else 'MISSED'}")
    sys.exit(0 if is_met or options.no_goals else 1)


if __name__ == "__main__":
    main()
