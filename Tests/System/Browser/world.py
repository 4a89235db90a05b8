"""A hub, a daemon and a status page as real processes in a folder of their own, and a browser in front of them."""

import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import time

from playwright.sync_api import expect, sync_playwright

# The time after which an operation counts as hung, however busy the machine is.
SECONDS_MAX = 120
expect.set_options(timeout=SECONDS_MAX * 1000)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent


def programs():
    """Returns the folder of the built programs."""
    folder = os.environ.get("CAUSEWAY_BIN")
    return pathlib.Path(folder) if folder else ROOT / ".build" / "debug"


def chromium():
    """Returns the path of the system's browser."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    raise RuntimeError("there is no Chromium; run make setup-tests")


def until(what, holds):
    """Waits until `holds` returns a true value, and returns it."""
    end = time.monotonic() + SECONDS_MAX
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"it took more than {SECONDS_MAX} s until {what}")
        time.sleep(0.02)


class ReservedPort:
    """A port of 127.0.0.1 for a server that stops and restarts.

    It is below the system's ephemeral ports, and no other test gets it while this is held
    (`Tests/Support/TestSupport/ReservedPort.swift` uses the same locks): nothing else listens there in between.
    """

    FOLDER = pathlib.Path("/tmp") / f"causeway-test-ports-{os.getuid()}"
    FIRST = 10_000

    def __init__(self):
        first_ephemeral = 32_768
        with contextlib.suppress(OSError):
            text = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
            first_ephemeral = max(int(text.split()[0]), self.FIRST + 1000)
        self.FOLDER.mkdir(mode=0o700, exist_ok=True)
        ports = list(range(self.FIRST, first_ephemeral))
        random.shuffle(ports)
        for port in ports:
            if self.take(port):
                self.number = port
                return
        raise RuntimeError("no port is free")

    def take(self, port):
        lock = open(self.FOLDER / str(port), "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            lock.close()
            return False
        self.lock = lock
        return True

    def release(self):
        self.lock.close()


class Process:
    """One of the programs; its standard error is written to a file."""

    def __init__(self, log, arguments, environment):
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

    def says(self, pattern):
        """Waits for a matching line of its log."""
        def found():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.log.name} ended: {self.log.read_text()}")
            return re.search(pattern, self.log.read_text())
        return until(f"{self.log.name} says {pattern}", found)

    def stop(self, kill=False):
        if self.process.poll() is None:
            self.process.kill() if kill else self.process.terminate()
            self.process.wait(timeout=SECONDS_MAX)


class ControlConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket."""

    def __init__(self, path):
        super().__init__("causeway", timeout=SECONDS_MAX)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


class World:
    """All the running processes; ended by `close`."""

    def __init__(self, page_options=(), with_tls=False, is_read_only=False):
        self.is_read_only = is_read_only
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cw-"))
        # One retry, and soon: a delivery that the network fails is failed within a second.
        self.environment = {
            "PATH": f"{programs()}:/usr/bin:/bin", "HOME": str(self.folder), "SWIFT_BACKTRACE": "enable=no",
            "CAUSEWAY_STORE": str(self.folder / "store"), "CAUSEWAY_SOCKET": str(self.folder / "run" / "s"),
            "CAUSEWAY_RESTART": "resume", "CAUSEWAY_CA": str(self.folder / "hub" / "tls" / "ca.pem"),
            "CAUSEWAY_SETTLING_TIME": "0s",
        }
        self.page_options = list(page_options)
        self.hub = self.daemon = self.page = None
        self.reserved = [ReservedPort(), ReservedPort()]
        self.hub_port, self.page_port = (each.number for each in self.reserved)
        self.address = None
        self.run("causeway-hub", "init", "--data", self.folder / "hub", "--name", "127.0.0.1", "--name", "localhost",
                 "--account", "ann", "--channel", "general")
        if with_tls:
            tls = self.folder / "hub" / "tls"
            self.page_options += ["--certificate", tls / "server.pem", "--key", tls / "server.key"]
        self.start_hub()
        self.start_daemon()
        self.run("causeway", "login", f"https://127.0.0.1:{self.hub_port}", "--token-file",
                 self.folder / "hub" / "tokens" / "ann.token")
        self.start_page()

    def run(self, program, *arguments, stdin="", check=True):
        done = subprocess.run(
            [programs() / program, *map(str, arguments)], env=self.environment, input=stdin, capture_output=True,
            text=True, timeout=SECONDS_MAX)
        if check and done.returncode != 0:
            raise AssertionError(f"{program} {arguments}: {done.returncode} {done.stderr}")
        return done.stdout.strip()

    def start_hub(self):
        log = self.folder / "hub.log"
        log.write_text("")
        self.hub = Process(log, [programs() / "causeway-hub", "serve", "--data", self.folder / "hub", "--listen",
                                 f"127.0.0.1:{self.hub_port}"], self.environment)
        self.hub.says(rf"https://127\.0\.0\.1:{self.hub_port}\b")

    def start_daemon(self):
        log = self.folder / "daemon.log"
        log.write_text("")
        self.daemon = Process(log, [programs() / "causewayd"], self.environment)
        self.daemon.says("ready")

    def start_page(self):
        log = self.folder / "page.log"
        log.write_text("")
        listen = [] if "--listen" in self.page_options else ["--listen", f"127.0.0.1:{self.page_port}"]
        # Without a token it would be read-only.
        changes = [] if "--token-file" in self.page_options or self.is_read_only else ["--allow-changes"]
        self.page = Process(log, [programs() / "causeway-status", *listen, *changes, *map(str, self.page_options)],
                            self.environment)
        self.address = self.page.says(r"address=(https?://\S+?:\d+)").group(1)

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def control(self, method, path, body=None):
        """Sends the daemon a request over its socket, and returns the JSON."""
        connection = ControlConnection(self.environment["CAUSEWAY_SOCKET"])
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            found = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.status} {found}")
        return found

    def send(self, channel, *texts):
        """Sends texts, each a message, and returns their ids."""
        ids = []
        for start in range(0, len(texts), 1000):
            messages = [{"channel": channel, "text": text} for text in texts[start:start + 1000]]
            ids += self.control("POST", "/v1/messages", messages)["ids"]
        return ids

    def state(self, message):
        return self.control("GET", f"/v1/messages/{message}")["state"]

    def fail(self, *texts):
        """Sends texts that the hub refuses for good, and waits until it has."""
        ids = self.send("nowhere", *texts)
        until("they failed", lambda: self.state(ids[-1]) == "error")
        return ids

    def counts(self):
        return self.control("GET", "/v1/status")["counts"]

    def failed(self):
        return self.counts()["error"]

    def deletions(self):
        return self.control("GET", "/v1/delete-actions?limit=100")["actions"]

    def close(self):
        for process in (self.page, self.daemon, self.hub):
            if process:
                process.stop()
        for port in self.reserved:
            port.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def new_context(running, **options):
    """Returns a context of the browser with the timeout that is used everywhere here."""
    context = running.new_context(**options)
    context.set_default_timeout(SECONDS_MAX * 1000)
    return context


def problems_of(page):
    """Returns a list that collects a page's problems from now on: dialogs, script errors, and errors on the console.

    A refused or interrupted stream of events is not a problem of the page: it is reopened.
    """
    problems = []

    def heard(message):
        if message.type == "error" and not message.location.get("url", "").endswith("/events"):
            problems.append(message.text)

    page.on("dialog", lambda dialog: problems.append(dialog.message) or dialog.dismiss())
    page.on("console", heard)
    page.on("pageerror", lambda error: problems.append(str(error)))
    return problems


@contextlib.contextmanager
def browser(*arguments):
    """Starts the system's browser without a window."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium(), timeout=SECONDS_MAX * 1000,
            args=["--no-sandbox", "--disable-dev-shm-usage", *arguments])
        try:
            yield running
        finally:
            running.close()
