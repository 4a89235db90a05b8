"""The power of a hub is cut while a file arrives: an offset that it reported is never undercut.

A library in the hub (power.c) records what the file system has promised to keep. The hub is killed, everything else is
taken away from its folder, and it is started again. The control arm is a hub whose syncs have no effect: its offsets
must be seen to be undercut, or the test proves nothing. Run by Tools/torture-media.
"""

import argparse
import base64
import hashlib
import pathlib
import random
import re
import socket
import subprocess
import sys

from processes import Folder, Program, free_port


class Disk:
    """The files of a hub, of which only a part is durable."""

    def __init__(self, folder, log):
        self.folder, self.log = folder, log

    def cut_power(self):
        """Leaves the durable names with the durable bytes, and nothing else."""
        lengths, names, folder = {}, {str(self.folder / "parts"): {}}, None
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            kind, _, rest = line.partition(" ")
            if kind == "S":
                inode, length = rest.split()
                lengths[int(inode)] = max(int(length), lengths.get(int(inode), 0))
            elif kind == "D":
                folder = rest
                names[folder] = {}
            elif kind == "N":
                name, inode = rest.rsplit(" ", 1)
                names[folder][name] = int(inode)
        parts = names[str(self.folder / "parts")]
        present = {file.stat().st_ino: file for file in (self.folder / "parts").iterdir()}
        for inode, file in present.items():
            if inode not in parts.values():
                file.unlink()
        for name, inode in parts.items():
            if inode not in present:
                continue
            file = present[inode].rename(self.folder / "parts" / name)
            with open(file, "r+b") as handle:
                handle.truncate(min(file.stat().st_size, lengths.get(inode, 0)))


class Cuts:
    def __init__(self, seed, library, has_syncs):
        self.random = random.Random(seed)
        self.folder = Folder()
        self.port = free_port()
        self.folder.run("causeway-hub", "init", "--data", self.folder.path / "hub", "--account", "ann", "--channel",
                        "general")
        blobs = self.folder.path / "hub" / "blobs"
        blobs.mkdir(exist_ok=True)
        self.disk = Disk(blobs, self.folder.path / "synced")
        more = {"LD_PRELOAD": str(library), "POWER_FOLDER": str(blobs), "POWER_LOG": str(self.disk.log)}
        if not has_syncs:
            more["POWER_NO_SYNC"] = "1"
        self.hub = Program(
            "hub", self.folder.path / "hub.log",
            [self.folder.programs / "causeway-hub", "serve", "--data", self.folder.path / "hub", "--listen",
             f"127.0.0.1:{self.port}", "--plain"], self.folder.environment(**more), r"listening address=")

    def close(self):
        self.hub.stop()
        self.folder.close()

    def request(self, method, path, fields, body=b"", until_bytes=None):
        """Sends a request; returns all that came back until the connection ended, or after exactly so many bytes."""
        fields = {"Host": "a", "Authorization": f"Bearer {self.folder.token('ann')}", "Connection": "close",
                  "Upload-Draft-Interop-Version": "8", "Content-Length": len(body), **fields}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        text = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(head.encode() + b"\r\n")
            sent = 0
            try:
                while sent < len(body):
                    if until_bytes is not None and sent >= until_bytes:
                        # Whatever the hub has reported by now is a promise.
                        connection.settimeout(self.random.uniform(0.001, 0.1))
                        break
                    part_end = sent + 256 * 1024 if until_bytes is None else min(sent + 256 * 1024, until_bytes)
                    sent += connection.send(body[sent:part_end])
                while part := connection.recv(65536):
                    text += part
            except OSError:
                pass
        return text.decode("latin-1")

    def run(self, count, size):
        """Cuts the power so many times; returns the numbers of reported and of undercut offsets, and whether the file
        arrived in the end."""
        data = self.random.randbytes(size)
        digest = hashlib.sha256(data)
        field = f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
        location, reports, undercut, reported = None, 0, 0, 0
        for number in range(count):
            self.hub.start()
            state = self.request("HEAD", location, {}) if location else "404"
            found = re.search(r"Upload-Offset: (\d+)", state)
            if not found:
                undercut += location is not None and reported > 0
                text = self.request("POST", "/v1/uploads", {
                    "Upload-Complete": "?0", "Upload-Length": size, "Repr-Digest": field})
                location, reported, offset = re.findall(r"Location: (\S+)", text)[-1], 0, 0
            else:
                offset = int(found[1])
                undercut += offset < reported
                reported = offset
            step = self.random.randrange(1, max(2, (size - offset) // max(1, count - number) * 2))
            text = self.request("PATCH", location, {
                "Upload-Complete": "?1", "Upload-Offset": offset, "Content-Type": "application/partial-upload",
            }, data[offset:], until_bytes=min(step, size - offset - 1))
            offsets = [int(each) for each in re.findall(r"Upload-Offset: (\d+)", text)]
            reports += len(offsets)
            reported = max([reported, *offsets])
            self.hub.kill()
            self.disk.cut_power()
        self.hub.start()
        found = re.search(r"Upload-Offset: (\d+)", self.request("HEAD", location, {}))
        if found is None:
            return reports, undercut + 1, False
        offset = int(found[1])
        undercut += offset < reported
        self.request("PATCH", location, {
            "Upload-Complete": "?1", "Upload-Offset": offset, "Content-Type": "application/partial-upload",
        }, data[offset:])
        _, _, content = self.request("GET", f"/v1/blobs/{digest.hexdigest()}", {}).partition("\r\n\r\n")
        arrived = hashlib.sha256(content.encode("latin-1"))
        return reports, undercut, arrived.digest() == digest.digest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--mebibytes", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = pathlib.Path(__file__).with_name("power.c")
    folder = Folder()
    library = folder.path / "power.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                   check=True)
    is_fine = True
    try:
        for has_syncs in (True, False):
            cuts = Cuts(options.seed, library, has_syncs)
            try:
                reports, undercut, is_whole = cuts.run(options.cuts, options.mebibytes << 20)
            finally:
                cuts.close()
            name = "with its syncs" if has_syncs else "control arm, syncs without effect"
            print(f"power cut {options.cuts} times, {name}: {reports} offsets reported, {undercut} undercut, the file "
                  f"arrived: {'yes' if is_whole else 'no'}", flush=True)
            is_fine &= reports > 0 and (undercut == 0 and is_whole if has_syncs else undercut > 0)
    finally:
        folder.close()
    sys.exit(0 if is_fine else 1)


if __name__ == "__main__":
    main()
