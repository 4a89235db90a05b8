"""A link between one client and one hub: counts, observes requests, and breaks off at given offsets."""

import re
import socket
import struct
import threading
import time

# Small buffers: what lies in the kernel when a link breaks was sent, and never arrives.
BUFFER_BYTES = 64 * 1024
REQUEST = re.compile(rb"(HEAD|PATCH|POST|GET|DELETE) (/v1/uploads[^ ]*) HTTP/1\.1\r\n")


class Link:
    """Forwards connections to the hub's port; `breaks` are offsets in the sum of everything forwarded to the hub."""

    def __init__(self, hub_port, breaks=(), at_break=None):
        self.hub_port = hub_port
        self.breaks = sorted(breaks)
        # Called with the number of the break in its thread, before the link is cut.
        self.at_break = at_break or (lambda number: None)
        self.sent = 0
        self.broken = 0
        # Each break, and what came after it: the time until the next byte of a file, and the requests on the way.
        self.recoveries = []
        self.pending = None
        self.lock = threading.Lock()
        self.connections = set()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(16)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            hub = socket.socket()
            hub.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
            try:
                hub.connect(("127.0.0.1", self.hub_port))
            except OSError:
                self.cut(client)
                continue
            for each in (client, hub):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections.add((client, hub))
            threading.Thread(target=self.upwards, args=(client, hub), daemon=True).start()
            threading.Thread(target=self.downwards, args=(client, hub), daemon=True).start()

    def upwards(self, client, hub):
        while True:
            try:
                part = client.recv(BUFFER_BYTES)
            except OSError:
                part = b""
            if not part:
                return self.end(client, hub)
            with self.lock:
                self.observe(part)
                start = self.sent
                self.sent += len(part)
                broken = self.breaks and self.breaks[0] <= self.sent
                if broken:
                    part = part[:max(0, self.breaks.pop(0) - start)]
            try:
                hub.sendall(part)
            except OSError:
                return self.end(client, hub)
            if broken:
                self.break_off()

    def observe(self, part):
        """Notes the requests for uploads, and the first byte of a file after a break."""
        if self.pending is None:
            return
        started, requests = self.pending
        found = [method.decode() for method, _ in REQUEST.findall(part)]
        if found:
            requests += found
        rest = part[part.rfind(b"\r\n\r\n") + 4:] if found else part
        carries = requests and requests[-1] in ("PATCH", "POST") and rest
        if carries:
            self.recoveries.append((time.monotonic() - started, requests))
            self.pending = None

    def downwards(self, client, hub):
        while True:
            try:
                part = hub.recv(BUFFER_BYTES)
                if not part:
                    break
                client.sendall(part)
            except OSError:
                break
        self.end(client, hub)

    def break_off(self):
        self.broken += 1
        # The time of a kill is not that of the link.
        is_kill = self.at_break(self.broken)
        with self.lock:
            self.pending = None if is_kill else (time.monotonic(), [])
            connections, self.connections = self.connections, set()
        for pair in connections:
            for each in pair:
                self.cut(each)

    def cut(self, each):
        """Ends a connection with a reset, as a link does that is gone."""
        try:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        each.close()

    def end(self, client, hub):
        with self.lock:
            self.connections.discard((client, hub))
        for each in (client, hub):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()

    def close(self):
        self.listener.close()
        with self.lock:
            connections, self.connections = self.connections, set()
        for pair in connections:
            for each in pair:
                self.cut(each)
