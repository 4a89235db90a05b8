"""The programs as processes in a folder of their own, and their memory."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

SECONDS_MAX = 120


def until(what, holds, seconds=SECONDS_MAX):
    """Waits until `holds` returns a true value, and returns it."""
    end = time.monotonic() + seconds
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"it took more than {seconds} s until {what}")
        time.sleep(0.01)


def memory(process, field):
    """Bytes of a line of a process's status; 0 when it is gone."""
    try:
        text = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else 0


class Program:
    """One program that is started, killed and started again; the peak of its memory over all runs."""

    def __init__(self, name, log, arguments, environment, ready):
        self.name, self.log, self.arguments, self.environment, self.ready = name, log, arguments, environment, ready
        self.process = None
        self.idle = self.above_idle = 0

    def start(self):
        self.log.write_text("")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        found = until(f"{self.name} is ready", self.look)
        if not self.idle:
            self.idle = memory(self.process.pid, "VmRSS")
        return found

    def look(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ended: {self.log.read_text()}")
        return re.search(self.ready, self.log.read_text())

    def measure(self):
        """Notes the highest memory so far above the first, idle run."""
        self.above_idle = max(self.above_idle, memory(self.process.pid, "VmHWM") - self.idle)

    def rest(self):
        """Takes the present state for that at rest."""
        self.idle = memory(self.process.pid, "VmRSS")

    def kill(self):
        self.measure()
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.measure()
            self.process.terminate()
            try:
                self.process.wait(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Folder:
    """A folder for all data of a run; on the disk of the repository unless MEDIA_DIR names another one."""

    def __init__(self):
        parent = pathlib.Path(os.environ.get("MEDIA_DIR", ".build")).resolve()
        parent.mkdir(exist_ok=True)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="media-", dir=parent))
        self.programs = pathlib.Path(os.environ["CAUSEWAY_BIN"])
        # A socket's path is short; a folder of a build may not be.
        self.sockets = pathlib.Path(tempfile.mkdtemp(prefix="cw-"))

    def environment(self, **more):
        return {"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": str(self.path), "SWIFT_BACKTRACE": "enable=no",
                "CAUSEWAY_STORE": str(self.path / "store"), "CAUSEWAY_SOCKET": str(self.sockets / "s"), **more}

    def run(self, program, *arguments):
        done = subprocess.run(
            [self.programs / program, *map(str, arguments)], env=self.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{program} {arguments}: {done.returncode} {done.stderr}")
        return done.stdout.strip()

    def token(self, account):
        return (self.path / "hub" / "tokens" / f"{account}.token").read_text().strip()

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.rmtree(self.sockets, ignore_errors=True)


class Sampler:
    """Measures programs now and then, as long as they run."""

    def __init__(self, *programs):
        self.programs, self.is_over = programs, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over.wait(0.05):
            for program in self.programs:
                program.measure()

    def close(self):
        self.is_over.set()
        self.thread.join()
