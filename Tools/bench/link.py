"""A link between two network namespaces, emulated in user space: delay, jitter, loss, reordering and a rate.

Each namespace gets a TUN device; this program moves the packets between them. Real TCP runs over it, so handshakes,
congestion windows and retransmissions take the time that they take on such a link. It prints what it did when it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
CLONE_NEWNET = 0x40000000
PACKET_BYTES_MAX = 65536
# Packets of one direction that wait on the link; more are dropped, as a router does.
QUEUE_PACKETS_MAX = 20_000


@contextlib.contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Lets the calling thread open devices and sockets in a named network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net", "rb") as own, open(f"/run/netns/{namespace}", "rb") as other:
        if libc.setns(other.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {namespace}")
        try:
            yield
        finally:
            libc.setns(own.fileno(), CLONE_NEWNET)


def open_tun(namespace: str, name: str) -> int:
    """Opens a TUN device in a named network namespace."""
    with inside(namespace):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        return device


class Direction:
    """The packets on their way from one device to the other."""

    def __init__(self, source: int, target: int, options: argparse.Namespace, seed: int):
        self.source, self.target, self.options = source, target, options
        self.random = random.Random(seed)
        self.queue: list[tuple[float, int, bytes]] = []
        self.is_free_at = 0.0
        self.count = self.bytes = self.lost = self.dropped = self.late = 0
        self.longest = 0
        self.lateness = 0.0

    def read(self, now: float) -> None:
        while True:
            try:
                packet = os.read(self.source, PACKET_BYTES_MAX)
            except BlockingIOError:
                return
            if self.random.random() < self.options.loss / 100:
                self.lost += 1
                continue
            if len(self.queue) >= QUEUE_PACKETS_MAX:
                self.dropped += 1
                continue
            sent_at = now
            if self.options.rate:
                sent_at = max(now, self.is_free_at) + len(packet) * 8 / (self.options.rate * 1e6)
                self.is_free_at = sent_at
            delay = self.options.delay / 1000
            if self.options.jitter:
                # Later packets may overtake earlier ones.
                delay += self.random.uniform(0, self.options.jitter / 1000)
            self.count += 1
            self.bytes += len(packet)
            heapq.heappush(self.queue, (sent_at + delay, self.count, packet))
            self.longest = max(self.longest, len(self.queue))

    def write(self, now: float) -> None:
        while self.queue and self.queue[0][0] <= now:
            due, _, packet = heapq.heappop(self.queue)
            self.late += 1
            self.lateness += now - due
            try:
                os.write(self.target, packet)
            except OSError:
                self.dropped += 1

    @property
    def next(self) -> float | None:
        return self.queue[0][0] if self.queue else None


def run(options: argparse.Namespace) -> list[Direction]:
    first, second = open_tun(options.first, "link0"), open_tun(options.second, "link0")
    directions = [
        Direction(first, second, options, options.seed),
        Direction(second, first, options, options.seed + 1),
    ]
    is_over = False

    def end(*_: object) -> None:
        nonlocal is_over
        is_over = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    print("ready", flush=True)
    while not is_over:
        dues = [due for direction in directions if (due := direction.next) is not None]
        wait = max(0.0, min(dues) - time.monotonic()) if dues else 1.0
        try:
            readable, _, _ = select.select([first, second], [], [], wait)
        except InterruptedError:
            continue
        now = time.monotonic()
        for direction in directions:
            if direction.source in readable:
                direction.read(now)
            direction.write(time.monotonic())
    return directions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", help="the name of a network namespace")
    parser.add_argument("second", help="the name of the other one")
    parser.add_argument("--delay", type=float, default=0, help="milliseconds in each direction")
    parser.add_argument("--jitter", type=float, default=0, help="up to so many milliseconds more, at random")
    parser.add_argument("--loss", type=float, default=0, help="percent of the packets")
    parser.add_argument("--rate", type=float, default=0, help="megabits a second in each direction; 0: unlimited")
    parser.add_argument("--seed", type=int, default=1)
    for name, direction in zip(("there", "back"), run(parser.parse_args())):
        late = direction.lateness / direction.late * 1000 if direction.late else 0
        print(
            f"{name}: {direction.count} packets, {direction.bytes} bytes, {direction.lost} lost, "
            f"{direction.dropped} dropped, at most {direction.longest} waiting, on average {late:.2f} ms late",
            flush=True)


if __name__ == "__main__":
    sys.exit(main())
