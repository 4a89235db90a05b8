"""A link between clients and a hub that cuts connections, loses responses and delays, as often as it is told to."""

import contextlib
import random
import socket
import struct
import threading
import time


class UnreliableLink:
    """Forwards the connections of its port to the hub's; the port stays the same when the hub's changes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.hub_port = None
        # The likelihood that a part is lost, and its connection with it.
        self.loss = 0.0
        self.cuts = 0
        self.lock = threading.Lock()
        self.connections = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                hub = socket.create_connection(("127.0.0.1", self.hub_port))
            except OSError:
                reset(client)
                continue
            with self.lock:
                self.connections.add((client, hub))
            for source, target in ((client, hub), (hub, client)):
                threading.Thread(target=self.forward, args=(source, target, (client, hub)), daemon=True).start()

    def forward(self, source, target, pair):
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                with self.lock:
                    loss, draw = self.loss, self.random.random()
                    kept = self.random.randrange(len(part) + 1)
                if draw < loss:
                    # A part of it may still arrive: half a request, or half a response.
                    with contextlib.suppress(OSError):
                        target.sendall(part[:kept])
                    self.cuts += 1
                    break
                if draw < 3 * loss:
                    time.sleep(draw * 0.5)
                target.sendall(part)
        self.end(pair)

    def cut_all(self):
        with self.lock:
            connections = list(self.connections)
        for pair in connections:
            self.end(pair)

    def end(self, pair):
        with self.lock:
            self.connections.discard(pair)
        for each in pair:
            reset(each)

    def close(self):
        self.listener.close()
        self.cut_all()


def reset(each):
    """Ends a connection as a link does that is gone."""
    with contextlib.suppress(OSError):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        each.shutdown(socket.SHUT_RDWR)
    each.close()
