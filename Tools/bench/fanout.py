"""Measures the fan-out of a hub's events: see Tools/bench/fanout, which builds the hub."""

import argparse
import json
import os
import pathlib
import re
import resource
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import time

CHANNEL = "general"
SESSIONS_PER_ACCOUNT = 32
CONNECTIONS = 24_000


class Hub:
    """A hub on loopback with as many accounts as the sessions need."""

    def __init__(self, program, accounts, folder, is_tls=False):
        self.data = pathlib.Path(folder) / "hub"
        names = [f"user{number}" for number in range(accounts)]
        subprocess.run(
            [program, "init", "--data", self.data, "--account", "ann", "--channel", CHANNEL], check=True,
            capture_output=True)
        for name in names:
            for command in (["account", "add", name], ["channel", "member", "add", CHANNEL, name]):
                subprocess.run([program, *command, "--data", self.data], check=True, capture_output=True)
        limits = ["--connections", CONNECTIONS, "--connections-per-address", CONNECTIONS]
        command = [
            program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *([] if is_tls else ["--plain"]), *limits]
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if found := re.search(r"listening address=https?://[^ ]*:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise SystemExit("fanout: the hub did not start")
        self.tls = ssl.create_default_context(cafile=self.data / "tls" / "ca.pem") if is_tls else None
        self.tokens = [(self.data / "tokens" / f"{name}.token").read_text().strip() for name in ["ann", *names]]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @property
    def memory(self):
        """Bytes of the process in memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+) kB", status)[1]) * 1024

    def connect(self):
        opened = socket.create_connection(("127.0.0.1", self.port))
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.tls.wrap_socket(opened, server_hostname="localhost") if self.tls else opened

    def send(self, token, head, body=b""):
        opened = self.connect()
        opened.sendall(f"{head}\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode() + body)
        return opened

    def subscribe(self, number):
        """A stream of events; its header has been read."""
        token = self.tokens[1 + number // SESSIONS_PER_ACCOUNT]
        opened = self.send(token, "GET /v1/events HTTP/1.1\r\nAccept: text/event-stream")
        read_until(opened, b"isUpToDate\":true")
        return opened

    def open_socket(self, number):
        head = ("GET /v1/socket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: causeway.v1")
        opened = self.send(self.tokens[1 + number // SESSIONS_PER_ACCOUNT], head)
        read_until(opened, b"\r\n\r\n")
        return opened

    @staticmethod
    def follow(opened):
        """Asks for events on a socket; the first part has been read."""
        request = {"id": 1, "method": "GET", "path": "/v1/events", "headers": {"accept": "text/event-stream"}}
        text = json.dumps(request).encode()
        # One text frame of less than 126 bytes, masked with zeros.
        opened.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
        read_until(opened, b'isUpToDate":true')

    def get(self, number):
        """A connection that stays open after a request for the session and one for a page of messages."""
        token = self.tokens[1 + number // SESSIONS_PER_ACCOUNT]
        opened = self.send(token, "GET /v1/session HTTP/1.1")
        read_response(opened)
        opened.sendall(
            f"GET /v1/channels/{CHANNEL}/messages?limit=20 HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode())
        read_response(opened)
        return opened


def read_until(opened, end):
    received = b""
    while end not in received:
        part = opened.recv(65536)
        if not part:
            raise SystemExit(f"fanout: the hub ended the connection: {received[:300]!r}")
        received += part
    return received


def read_response(opened):
    """The body of a response with the status 200, whose length is announced."""
    head, body = read_until(opened, b"\r\n\r\n").split(b"\r\n\r\n", 1)
    length = re.search(rb"(?i)\r\nContent-Length: *(\d+)", head)
    if not head.startswith(b"HTTP/1.1 200") or not length:
        raise SystemExit(f"fanout: {head[:300]!r}")
    while len(body) < int(length[1]):
        part = opened.recv(65536)
        if not part:
            raise SystemExit("fanout: the hub ended the connection within a response")
        body += part
    return body


class Publisher:
    """Delivers messages over one connection, one after the other."""

    def __init__(self, hub):
        self.hub = hub
        self.number = 0
        self.connection = hub.connect()

    def publish(self, text="x" * 200):
        """Returns the marker of the message, which its event contains, and the time at which it was sent."""
        self.number += 1
        identifier = f"0190a6b2-0000-7000-8000-{self.number:012x}"
        operation = {
            "kind": "send", "sequence": self.number, "previous": self.number - 1, "id": identifier,
            "channel": CHANNEL, "content": {"v": 1, "type": "text", "text": text}, "createdAt": 1000,
        }
        body = json.dumps({
            "outbox": "0190a6b2-0000-7000-8000-000000000000", "epoch": 1, "lane": "text",
            "operations": [operation]}).encode()
        head = (f"POST /v1/deliveries HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.hub.tokens[0]}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        start = time.monotonic()
        self.connection.sendall(head.encode() + body)
        return identifier.encode(), start

    def respond(self):
        read_response(self.connection)

    def rate(self, count, **message):
        """Messages in a second."""
        start = time.monotonic()
        for _ in range(count):
            self.publish(**message)
            self.respond()
        return count / (time.monotonic() - start)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def measure_fan_out(hub, publisher, subscribers, messages):
    """Seconds from the first byte of a delivery to the event at each subscriber."""
    poll = select.epoll()
    opened = {}
    for number in range(subscribers):
        stream = hub.subscribe(number)
        stream.setblocking(False)
        opened[stream.fileno()] = stream
        poll.register(stream.fileno(), select.EPOLLIN)
    delays = []
    for _ in range(messages):
        marker, start = publisher.publish()
        waiting = {}
        while len(waiting) < subscribers:
            ready = poll.poll(30)
            if not ready:
                raise SystemExit(f"fanout: {subscribers - len(waiting)} subscribers got no event")
            for number, _ in ready:
                received = opened[number].recv(65536)
                if marker in received:
                    waiting[number] = time.monotonic() - start
        publisher.respond()
        delays += waiting.values()
    return opened, delays


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hub", required=True)
    parser.add_argument("--subscribers", type=int, default=1_000)
    parser.add_argument("--sessions", type=int, default=5_000)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--no-goals", action="store_true")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    met = True

    def report(name, value, unit, most):
        nonlocal met
        met = met and value <= most
        verdict = "met" if value <= most else "MISSED"
        print(f"{name}: {value:.1f} {unit}, goal at most {most:g} {unit}: {verdict}", flush=True)

    print(f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        # A hub of its own: memory that one measurement gave back would be used by the next.
        hub = Hub(options.hub, options.subscribers // SESSIONS_PER_ACCOUNT + 1, folder)
        try:
            Publisher(hub).rate(20)
            before = hub.memory
            opened = [hub.get(number) for number in range(options.subscribers)]
            held = (hub.memory - before) / len(opened) / 1024
            report(f"memory of each of {len(opened)} idle connections after two requests", held, "KiB", 32)
        finally:
            hub.close()
    with tempfile.TemporaryDirectory() as folder:
        accounts = max(options.subscribers, options.sessions) // SESSIONS_PER_ACCOUNT + 1
        hub = Hub(options.hub, accounts, folder)
        try:
            publisher = Publisher(hub)
            publisher.rate(20)

            # Idle sessions first, while the hub is small.
            before = hub.memory
            idle = [hub.open_socket(number) for number in range(options.sessions)]
            report(f"memory of each of {len(idle)} idle sockets", (hub.memory - before) / len(idle) / 1024, "KiB", 20)
            for each in idle:
                hub.follow(each)
            held = (hub.memory - before) / len(idle) / 1024
            report("memory of each when it follows its events", held, "KiB", 20)
            for each in idle:
                each.close()

            # A subscriber that reads nothing, beside none.
            count = options.messages * 5
            publisher.rate(count)
            before = hub.memory
            alone = [publisher.rate(count)]
            # By the messages themselves, which the database caches.
            grown = hub.memory - before
            blocked = hub.subscribe(0)
            blocked.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            publisher.rate(count)
            before = hub.memory
            beside = [publisher.rate(count)]
            held = hub.memory - before - grown
            blocked.close()
            alone.append(publisher.rate(count))
            loss = 100 * (1 - max(beside) / (sum(alone) / len(alone)))
            report("rate that a blocked subscriber costs a publisher", loss, "%", 5)
            report("memory that it costs the hub", held / 1024, "KiB", 64)

            opened, delays = measure_fan_out(hub, publisher, options.subscribers, options.messages)
            print(f"{len(delays)} events at {len(opened)} subscribers: median {1000 * percentile(delays, 0.5):.1f} ms")
            report("p99", 1000 * percentile(delays, 0.99), "ms", 50)
        finally:
            hub.close()
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}")
    sys.exit(0 if met or options.no_goals else 1)


if __name__ == "__main__":
    main()
